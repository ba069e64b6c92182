import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { Report } from "@tollgate/testkit/report.ts";
import { VERSION as NODE_SDK_VERSION } from "openai/version";
import { type ParticipantSummary, runParticipant } from "../../training/conformance/run-participant.ts";
import { type CanarySummary, runCanaries } from "../canary/run-canaries.ts";
import { Random } from "../random.ts";
import { runDeviations } from "./deviations/run-deviations.ts";
import { describeTargets, judgeObservations } from "./differential/judge-observations.ts";
import { observeWithNode } from "./differential/observe-with-node.ts";
import { scenarios } from "./differential/scenarios.ts";
import { type FuzzPlan, type FuzzSummary, runFuzz } from "./fuzz/run-fuzz.ts";
import { type OracleSummary, runOracle } from "./oracle/run-oracle.ts";
import { type PricesSummary, runPrices } from "./prices/run-prices.ts";
import { runNodeAssistants } from "./sdk/run-node-assistants.ts";
import { runNodeCore } from "./sdk/run-node-core.ts";
import { runNodeFamilies } from "./sdk/run-node-families.ts";
import { runNodeMedia } from "./sdk/run-node-media.ts";
import { runNodeMessages } from "./sdk/run-node-messages.ts";
import { runNodeResponses } from "./sdk/run-node-responses.ts";
import { runNodeTexts } from "./sdk/run-node-texts.ts";
import { runPython } from "./sdk/run-python.ts";
import { runPythonAssistants } from "./sdk/run-python-assistants.ts";
import { runPythonMessages } from "./sdk/run-python-messages.ts";
import { runPythonResponses } from "./sdk/run-python-responses.ts";
import { startStage } from "./stage/start-stage.ts";

// cspell:ignore Twin -- Field names in the JSON report contain this word.

const USAGE = `Test with stock clients and hostile requests that a separate instance behaves as published.

  bin/pnpm conformance
  bin/pnpm conformance --quick --only node,fuzz --seed 42

  --quick        fewer generated requests
  --only SUITES  some of: node, python, differential, fuzz, oracle, canary, participant,
                 assistants, prices, seeds-deviations
  --seed N       repeat the generated requests of a run that printed this seed
  --oracle       also run LiteLLM, and update its recorded responses and costs, and the pages of differences
  --write        update the pages of differences, docs/migrate/litellm-differences.md and litellm-costs.md
  --json         print the result as one JSON object on the last line
`;

type Suite =
  | "node"
  | "python"
  | "differential"
  | "fuzz"
  | "oracle"
  | "canary"
  | "participant"
  | "assistants"
  | "prices"
  | "seeds-deviations";

const suites: readonly Suite[] = [
  "node",
  "python",
  "differential",
  "fuzz",
  "oracle",
  "canary",
  "participant",
  "assistants",
  "prices",
  "seeds-deviations",
];
/** Suites that start their own instances. */
const ALONE: readonly Suite[] = ["oracle", "canary", "participant", "prices"];
const FUZZ: FuzzPlan = { casesPerTwin: 5_000, casesPerSingle: 1_000, timeLimitMs: 600_000 };
/** Number of damaged requests sent to participants. */
const MUTATIONS = 20_000;
const QUICK_MUTATIONS = 1_000;
const QUICK_FUZZ: FuzzPlan = { casesPerTwin: 120, casesPerSingle: 60, timeLimitMs: 600_000 };

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    oracle: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
    only: { type: "string" },
    seed: { type: "string" },
    help: { type: "boolean", short: "h", default: false },
  },
});
const chosen = values.only?.split(",") ?? suites;
const seed = values.seed === undefined ? randomInt(2 ** 31) : Number(values.seed);
const isUnderstood = chosen.every((name) => suites.includes(name as Suite)) && Number.isInteger(seed);

// Exit explicitly, because exit handlers stop the instance, which would otherwise outlive an interrupted run.
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(130));

if (values.help || !isUnderstood) {
  process.stdout.write(USAGE);
  process.exitCode = values.help ? 0 : 2;
} else {
  process.exitCode = await run((suite) => chosen.includes(suite));
}

async function run(isChosen: (suite: Suite) => boolean): Promise<number> {
  const report = new Report<Suite>();
  const isAlone = suites.every((suite) => ALONE.includes(suite) || !isChosen(suite));
  const { sdkPython, fuzz } = isAlone ? { sdkPython: null, fuzz: null } : await runOnStage(isChosen, report);
  const oracle: OracleSummary | null = isChosen("oracle")
    ? await runOracle(report, { isLive: values.oracle, writes: values.oracle || values.write })
    : null;
  const canary: CanarySummary | null = isChosen("canary") ? await runCanaries(report, values.quick) : null;
  const participant: ParticipantSummary | null = isChosen("participant")
    ? await runParticipant(report, {
        count: values.quick ? QUICK_MUTATIONS : MUTATIONS,
        seed,
        random: new Random(seed),
      })
    : null;
  const prices: PricesSummary | null = isChosen("prices")
    ? await runPrices(report, { isLive: values.oracle, writes: values.oracle || values.write })
    : null;
  // A run of this suite alone ends with its own figures.
  if (prices !== null && chosen.length === 1) return report.close(values.json ? prices : null);
  const { passed, failed } = report;
  const { operations = 0, differences = 0 } = oracle ?? {};
  const counts = { operations, passed, failed, differences };
  const ours = { suites: report.suites, participant, fuzz, oracle, canary, prices };
  const result = { ...counts, ...ours, sdkNode: NODE_SDK_VERSION, sdkPython };
  return report.close(values.json ? result : null);
}

/** Runs the suites that share one instance. */
async function runOnStage(
  isChosen: (suite: Suite) => boolean,
  report: Report,
): Promise<{ readonly sdkPython: string | null; readonly fuzz: FuzzSummary | null }> {
  let sdkPython: string | null = null;
  let fuzz: FuzzSummary | null = null;
  const stage = await startStage();
  try {
    const targets = describeTargets(stage);
    const compared = isChosen("differential") ? scenarios : [];
    if (isChosen("node")) {
      await runNodeCore(stage, report);
      await runNodeTexts(stage, report);
      await runNodeMedia(stage, report);
      await runNodeFamilies(stage, report);
      await runNodeMessages(stage, report);
      await runNodeResponses(stage, report);
    }
    if (isChosen("assistants")) {
      await runNodeAssistants(stage, report);
      sdkPython = await runPythonAssistants(stage, report);
    }
    if (isChosen("python") || isChosen("differential")) {
      const python = await runPython(stage, { runsCore: isChosen("python"), scenarios: compared, targets }, report);
      sdkPython = python.version;
      if (isChosen("differential")) judgeObservations("python", python.observations, stage, report);
    }
    if (isChosen("python")) {
      await runPythonMessages(stage, report);
      await runPythonResponses(stage, report);
    }
    if (isChosen("differential")) {
      judgeObservations("node", await observeWithNode(scenarios, targets), stage, report);
    }
    if (isChosen("seeds-deviations")) await runDeviations(stage, report);
    if (isChosen("fuzz")) fuzz = await runFuzz(stage, report, values.quick ? QUICK_FUZZ : FUZZ, seed);
  } finally {
    await stage.stop();
  }
  return { sdkPython, fuzz };
}
