const { SITE, TOKEN, CAMPAIGN } = process.env;
const base = `${SITE}/api/v1/campaigns/${CAMPAIGN}`;

async function get(path, query) {
  const answer = await fetch(`${base}${path}?${new URLSearchParams(query)}`, {
    headers: { Authorization: `Bearer ${TOKEN}` },
  });
  if (!answer.ok) throw new Error((await answer.json()).detail);
  return answer.json();
}

const people = [];
let cursor = "";
do {
  const page = await get("/npcs", { limit: 50, cursor, fields: "id,name,sessions" });
  people.push(...page.items);
  cursor = page.next_cursor;
} while (cursor);

for (const person of people) console.log(person.name, "in sessions", person.sessions.join(", "));
const { evidence } = await get(`/npcs/${encodeURIComponent(people[0].id)}`, { quotes: true });
for (const cited of evidence) console.log(cited.quote);
