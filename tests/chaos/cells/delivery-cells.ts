import { setTimeout as pause } from "node:timers/promises";
import { sql } from "kysely";
import type { Random } from "../../random.ts";
import type { Cell, CellContext } from "../cell.ts";
import type { Stage } from "../stage/stage.ts";
import { sendCopies, sendPoison, type Troublemaker } from "./log-copies.ts";
import { underLoad } from "./under-load.ts";

export const deliveryCells: readonly Cell[] = [
  {
    id: "F13",
    title: "worker: every batch delivered one to five times, out of order",
    isQuick: true,
    run: async (stage, context) => {
      const sent = { copies: 0 };
      const result = await underLoad(stage, context, { mostFailed: 0, recoveryMs: 0 }, async (until) => {
        sent.copies = (await troubled(stage, context, until, sendCopies)).copies;
      });
      const problems = sent.copies > 0 ? [] : ["no batch was sent twice"];
      return { ...result, problems: [...result.problems, ...problems] };
    },
  },
  {
    id: "F14",
    title: "worker: messages that cannot be settled between valid ones",
    run: async (stage, context) => {
      const before = await countParked(stage);
      const sent = { poison: 0 };
      const result = await underLoad(stage, context, { mostFailed: 0, recoveryMs: 0 }, async (until) => {
        sent.poison = (await troubled(stage, context, until, sendPoison)).poison;
      });
      const parked = (await countParked(stage)) - before;
      // The counts can differ: a batch with a flipped bit can stay readable, and identical noise is stored only once.
      const problems = parked > 0 && parked <= sent.poison ? [] : [`${parked} parked of ${sent.poison} sent`];
      return { ...result, problems: [...result.problems, ...problems] };
    },
  },
];

async function troubled(
  stage: Stage,
  { schedule, random }: CellContext,
  until: number,
  begin: (natsUrl: string, random: Random) => Promise<Troublemaker>,
): Promise<Troublemaker> {
  const troublemaker = await begin(stage.engines.natsUrl, random);
  await schedule.during("disturb the log", () => pause(Math.max(0, until - performance.now())));
  // Wait until the delayed messages have been sent.
  await pause(2_000);
  await troublemaker.stop();
  return troublemaker;
}

async function countParked(stage: Stage): Promise<number> {
  const { rows } = await sql<{ count: bigint }>`select count(*) from parked_events`.execute(stage.ledger);
  return Number(rows[0]?.count ?? 0n);
}
