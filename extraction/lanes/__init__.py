"""The lane framework: a lane is data, the runner owns order, attempts, checkpoints and progress."""
