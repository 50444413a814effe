import { readFile } from "node:fs/promises";

const { SITE, TOKEN, CAMPAIGN } = process.env;
const session = `${SITE}/api/v1/campaigns/${CAMPAIGN}/sessions/9`;

// Post under a key: asked again with it, nothing is done twice.
async function post(address, body, key, more = {}) {
  const answer = await fetch(address, {
    method: "POST",
    body,
    headers: { Authorization: `Bearer ${TOKEN}`, "Idempotency-Key": key, ...more },
  });
  const said = await answer.json();
  if (!answer.ok) throw new Error(said.detail);
  return said;
}

const form = new FormData();
form.set("file", new Blob([await readFile("session-9.txt")]), "session-9.txt");
const kept = await post(`${session}/transcripts`, form, "session-9-upload-by-js");
console.log("revision", kept.revision, "with", kept.unit_count, "units");

const json = { "Content-Type": "application/json" };
const run = await post(`${session}/runs`, JSON.stringify({ pipeline: "npcs-only" }), "session-9-run-by-js", json);
console.log("run", run.id, "is", run.state);
