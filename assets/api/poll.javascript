const { SITE, TOKEN, CAMPAIGN } = process.env;
const base = `${SITE}/api/v1/campaigns/${CAMPAIGN}`;
const headers = { Authorization: `Bearer ${TOKEN}` };

// The first time, keep the tag. Afterwards send it along: 304 and no body as long as nothing has changed.
const first = await fetch(`${base}/npcs`, { headers });
const people = (await first.json()).items;
const again = await fetch(`${base}/npcs`, {
  headers: { ...headers, "If-None-Match": first.headers.get("ETag") },
});
if (again.status === 304) console.log("nothing new; still", people.length, "people");

// What has become of people, items and places: keep "since" and ask with it next time.
let since = "";
for (let more = true; more; ) {
  const news = await (await fetch(`${base}/changes?since=${since}`, { headers })).json();
  for (const change of news.items) console.log(change.change, change.name);
  ({ since, more } = news);
}
