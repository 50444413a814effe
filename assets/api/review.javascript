const { SITE, TOKEN, CAMPAIGN } = process.env;

async function ask(path, body, more = {}) {
  const answer = await fetch(`${SITE}/api/v1${path}`, {
    method: body ? "POST" : "GET",
    body: body && JSON.stringify(body),
    headers: { Authorization: `Bearer ${TOKEN}`, "Content-Type": "application/json", ...more },
  });
  const said = await answer.json();
  if (!answer.ok) throw new Error(`${said.code}: ${said.detail}`);
  return said;
}

const states = (await ask(`/campaigns/${CAMPAIGN}/sessions/1/artifacts`)).items;
const latest = states.find((state) => state.family === "npcs").latest_id;
const { records } = await ask(`/artifact-versions/${latest}`);
console.log("first is", records[0].record.name);

// A rename makes the next version. Where somebody else was faster, nothing is done: the answer is 409.
const act = { act: "rename", record: 0, name: "Dell of the lantern", reason: "She says so herself." };
const made = await ask(`/artifact-versions/${latest}/acts`, act, { "Idempotency-Key": `rename-${latest}` });
const approved = await ask(`/artifact-versions/${made.version.id}/approve`, { note: "Checked line by line." });
console.log("version", approved.number, "is", approved.state);
