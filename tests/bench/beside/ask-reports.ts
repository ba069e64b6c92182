import { constants, setPriority } from "node:os";

// Requests logs and aggregates from a platform, one after another, until stopped. Then reports the number of requests.

// Report clients normally run on other machines, so their CPU time must not slow down the calls.
setPriority(constants.priority.PRIORITY_LOW);
const [url = "", token = "", count = "1"] = process.argv.slice(2);
const PATHS = [
  // Requests that the console's pages send when they are opened.
  "/api/gw/logs?pageSize=50&include=histogram",
  "/api/gw/usage?groupBy=day,model&compare=previous",
  "/api/gw/logs?pageSize=50&include=histogram&model=model-1",
  "/api/gw/usage?groupBy=hour&timezone=Asia/Kolkata",
];
const since = new Date(Date.now() - 29 * 86_400_000).toISOString();
let isOver = false;
let reports = 0;

async function ask(first: number): Promise<void> {
  for (let turn = first; !isOver; turn += 1) {
    const path = `${PATHS[turn % PATHS.length]}&startDate=${since}`;
    const response = await fetch(url + path, { headers: { authorization: `Bearer ${token}` } });
    if (response.status !== 200) throw new Error(await response.text());
    await response.arrayBuffer();
    reports += 1;
  }
}

const people = Array.from({ length: Number(count) }, (_, index) => ask(index));
process.once("message", () => {
  isOver = true;
  void Promise.all(people).then(() => process.send?.(reports, () => process.exit()));
});
process.send?.("ready");
