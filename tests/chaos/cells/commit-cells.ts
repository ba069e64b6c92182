import { setTimeout as pause } from "node:timers/promises";
import { choosePort } from "@tollgate/testkit/processes/choose-port.ts";
import type { Cell } from "../cell.ts";
import { query } from "../stage/engines.ts";
import { startPostgresProxy } from "../stage/postgres-proxy.ts";
import { underLoad } from "./under-load.ts";

const CUT_CHANCE = 0.2;

/** Makes one settlement in ten fail, alternating between a deadlock and a serialization failure. */
const FAILING_TRIGGER = `
  create function chaos_fail() returns trigger language plpgsql as $$
  begin
    if random() < 0.05 then raise exception 'chosen as a deadlock victim' using errcode = '40P01'; end if;
    if random() < 0.05 then raise exception 'could not serialize access' using errcode = '40001'; end if;
    return null;
  end $$;
  create trigger chaos_fail before insert on ledger_transactions for each statement execute function chaos_fail()`;
const NO_FAILING_TRIGGER = "drop trigger chaos_fail on ledger_transactions; drop function chaos_fail()";

export const commitCells: readonly Cell[] = [
  {
    id: "F27",
    title: "PostgreSQL: one settlement in ten fails as a deadlock or a serialization failure",
    run: (stage, context) =>
      underLoad(stage, context, { mostFailed: 0, recoveryMs: 0 }, async (until) => {
        const { databaseUrl } = stage.engines;
        await query(databaseUrl, FAILING_TRIGGER);
        await context.schedule.during("settlements fail", () => pause(Math.max(0, until - performance.now())));
        await query(databaseUrl, NO_FAILING_TRIGGER);
      }),
  },
  {
    id: "F30",
    title: "PostgreSQL: one response in five is lost after the commit",
    run: async (stage, context) => {
      const { databaseUrl } = stage.engines;
      const direct = new URL(databaseUrl);
      const functions = ["settle_usage", "lease_credit", "close_leases", "heartbeat"];
      const proxied = await choosePort();
      const proxy = await startPostgresProxy(proxied, Number(direct.port), functions, () =>
        context.random.chance(CUT_CHANCE),
      );
      const through = new URL(databaseUrl);
      through.port = String(proxy.port);
      await stage.tollgate.restart({ databaseUrl: through.toString() });
      const expectation = { mostFailed: 0.01, recoveryMs: 1_000, settleLimitMs: 90_000 };
      const result = await underLoad(stage, context, expectation, (until) =>
        context.schedule.during("lose answers", () => pause(Math.max(0, until - performance.now()))),
      );
      await stage.tollgate.restart({ databaseUrl });
      proxy.stop();
      const problems = proxy.cuts > 0 ? [] : ["no answer was lost"];
      context.print(`      ${proxy.cuts} answers were lost`);
      return { ...result, problems: [...result.problems, ...problems] };
    },
  },
];
