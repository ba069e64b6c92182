import { parseArgs } from "node:util";
import { describeStep } from "./describe-step.ts";
import { fleetProgram } from "./fleet/fleet-program.ts";
import type { Broken } from "./ledger/settle.ts";
import { shrink } from "./shrink.ts";
import { type SimulationReport, simulate } from "./simulate.ts";

const USAGE = `Run the ledger's code with simulated nodes, disks, and network, and verify the books after every fault.

  pnpm simulate                       500 seeds
  pnpm simulate --seeds 10000         as many seeds as given
  pnpm simulate --seed 42             only this seed, for example one that failed
  pnpm simulate --quick               smaller plans
  pnpm simulate --fleet               a large fleet without faults: its load on the database
  pnpm simulate --fleet --out FILE    writes the fleet's report to a file
  pnpm simulate --broken double-post  settlement that posts twice, which must fail
  --json                              one JSON object on the last line
`;

const options = {
  help: { type: "boolean", default: false },
  seeds: { type: "string", default: "500" },
  seed: { type: "string" },
  quick: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
  broken: { type: "string", default: "none" },
  // Simulates only a large fleet without faults, to measure the database load of leases and settlement.
  fleet: { type: "boolean", default: false },
  out: { type: "string" },
} as const;

function readOptions() {
  try {
    return parseArgs({ options }).values;
  } catch (cause) {
    console.error(`${cause instanceof Error ? cause.message : cause}\n\n${USAGE}`);
    return null;
  }
}

async function main(): Promise<number> {
  const values = readOptions();
  if (values === null) return 2;
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  if (values.broken !== "none" && values.broken !== "double-post") {
    console.error("--broken knows double-post");
    return 2;
  }
  if (values.fleet) {
    const { quick: isQuick, json: printsJson, out: file = null } = values;
    return fleetProgram({ isQuick, printsJson, seed: Number(values.seed ?? 1), file });
  }
  const broken: Broken = values.broken;
  const first = values.seed === undefined ? 1 : Number(values.seed);
  const count = values.seed === undefined ? Number(values.seeds) : 1;
  const report = await simulate({ first, count, isQuick: values.quick, broken });
  if (report.failure !== null) await explain(report, broken);
  const { failure, ...figures } = report;
  if (values.json)
    console.log(
      JSON.stringify({ ...figures, passed: figures.seeds - figures.failed, firstFailedSeed: failure?.seed ?? null }),
    );
  else
    console.log(
      `${figures.seeds} seeds, ${figures.failed} failed, ${figures.events} events, ${figures.crashes} crashes, ${figures.seconds} s`,
    );
  return report.failed === 0 ? 0 : 1;
}

/** Prints the failed seed and the smallest plan that reproduces the failure. */
async function explain({ failure }: SimulationReport, broken: Broken): Promise<void> {
  if (failure === null) return;
  console.log(`seed ${failure.seed}: ${failure.complaint}`);
  const { plan, complaint } = await shrink(failure.plan, broken);
  const { nodes, workers, admission, sharesDisk, reclaimAfterMs, network } = plan;
  console.log(`shrunk to ${plan.steps.length} steps: ${complaint}`);
  console.log(
    JSON.stringify({
      policy: admission.policy,
      overdraft: String(admission.overdraft),
      nodes,
      workers,
      sharesDisk,
      reclaimAfterMs,
      network,
    }),
  );
  for (const step of plan.steps) console.log(describeStep(step));
}

process.exitCode = await main();
