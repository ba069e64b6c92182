import { parseArgs } from "node:util";
import { isGood, type Verdict } from "./judge.ts";
import { joinNewerGateway, joinNewerWorker } from "./scenarios/mixed.ts";
import { upgradeToNext } from "./scenarios/next.ts";
import { restartOneByOne } from "./scenarios/restarts.ts";
import { previousRelease, thisRelease } from "./stage/release.ts";

const USAGE = `Restart, mix, and migrate releases under load. No call may fail, and every call must be charged once.

  pnpm rolling                   all scenarios
  pnpm rolling --quick           4 restarts with short pauses
  pnpm rolling --only NAMES      some of: restarts, newer-gateway, newer-worker, next

  --restarts N         number of gateway restarts (20, quick 4)
  --broken no-grace    gateways refuse calls as soon as they are not ready; the run must then fail
  --json               print the result as one JSON object on the last line

restarts        restart gateways of this tree one by one, with streams in progress
newer-gateway   migrate the schema while the previous release runs; add a gateway of this tree, with the previous worker
newer-worker    the same, with a worker of this tree and gateways of the previous release
next            this tree and a simulated next release with another migration; this tree must also start on its schema
`;

const NAMES = ["restarts", "newer-gateway", "newer-worker", "next"] as const;
type Name = (typeof NAMES)[number];

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      quick: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      restarts: { type: "string" },
      only: { type: "string" },
      broken: { type: "string" },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  const isQuick = values.quick;
  const wanted = (values.only?.split(",") ?? (isQuick ? ["restarts"] : NAMES)) as readonly Name[];
  const unknown = wanted.filter((name) => !NAMES.includes(name));
  if (unknown.length > 0) throw new Error(`no such scenario: ${unknown.join(", ")}`);
  const restarts = Number(values.restarts ?? (isQuick ? 4 : 20));
  const options = { restarts, isQuick, hasGrace: values.broken !== "no-grace" };
  const verdicts: [Name, Verdict][] = [];
  for (const name of wanted) {
    console.log(`${name}:`);
    const startedAtMs = performance.now();
    const verdict = await run(name, options);
    verdicts.push([name, verdict]);
    const { problems, ...figures } = verdict;
    for (const problem of problems) tell(problem);
    tell(`${isGood(verdict) ? "good" : "BAD"} after ${Math.round((performance.now() - startedAtMs) / 1_000)} s`);
    tell(JSON.stringify(figures));
  }
  if (values.json) {
    const [only] = verdicts;
    console.log(JSON.stringify(verdicts.length === 1 ? only?.[1] : Object.fromEntries(verdicts)));
  }
  return verdicts.every(([, verdict]) => isGood(verdict)) ? 0 : 1;
}

const tell = (line: string) => console.log(`  ${line}`);

async function run(
  name: Name,
  options: { readonly restarts: number; readonly isQuick: boolean; readonly hasGrace: boolean },
): Promise<Verdict> {
  if (name === "restarts") return restartOneByOne({ ...options, tell });
  if (name === "next") return upgradeToNext(tell);
  const releases = { older: previousRelease(tell), newer: thisRelease(), tell };
  return name === "newer-gateway" ? joinNewerGateway(releases) : joinNewerWorker(releases);
}

process.exit(await main());
