from __future__ import annotations

import threading
from concurrent.futures import Future

import pytest

from extraction.lanes.pool import CallPool


def test_submit_runs_calls_side_by_side_up_to_the_limit() -> None:
    """Each call waits for both of the first two, which can only meet if they run at the same time."""
    meeting = threading.Barrier(2, timeout=20)
    pool: CallPool[int] = CallPool(2)
    futures = [pool.submit(lambda: meeting.wait()) for _ in range(2)]

    assert sorted(future.result(timeout=20) for future in futures) == [0, 1]
    pool.close()


def test_submit_beyond_the_limit_reuses_the_threads() -> None:
    pool: CallPool[str] = CallPool(2)
    names = {pool.submit(lambda: threading.current_thread().name).result(timeout=20) for _ in range(9)}
    idents = [pool.submit(threading.get_ident) for _ in range(9)]  # type: ignore[arg-type]  # any result will do

    assert names == {"notarius-call"}
    assert len({future.result(timeout=20) for future in idents}) <= 2
    pool.close()


@pytest.mark.parametrize("error", [ValueError("x"), KeyboardInterrupt(), SystemExit(3)], ids=lambda e: type(e).__name__)
def test_submit_carries_any_error_to_the_asker_and_the_thread_lives_on(error: BaseException) -> None:
    def fail() -> int:
        raise error

    pool: CallPool[int] = CallPool(1)
    failed = pool.submit(fail)

    assert failed.exception(timeout=20) is error
    assert pool.submit(lambda: 7).result(timeout=20) == 7
    pool.close()


def test_close_waits_for_no_call_and_ends_idle_threads() -> None:
    go = threading.Event()
    pool: CallPool[bool] = CallPool(1)
    future: Future[bool] = pool.submit(lambda: go.wait(20))
    pool.close()

    assert not future.done()
    go.set()
    assert future.result(timeout=20) is True


def test_threads_do_not_keep_the_process_alive() -> None:
    pool: CallPool[bool] = CallPool(1)
    daemon = pool.submit(lambda: threading.current_thread().daemon).result(timeout=20)

    assert daemon is True
    pool.close()
