import { test } from "@tollgate/testkit/test.ts";
import { addTestPrice } from "@tollgate/testkit/usage-events.ts";
import fc from "fast-check";
import { expect } from "vitest";
import { BothLedgers } from "./differential/both-ledgers.ts";
import { command as anyCommand, beginning } from "./differential/commands.ts";

const HISTORIES = 100;

// Checks that the simulated ledger follows the same rules as the database.
test("the model ledger responds to every command like the database and stores the same rows", async ({ database }) => {
  const worker = database.connect("tollgate_worker");
  const platform = database.connect("tollgate_platform");
  const gateway = database.connect("tollgate_gateway");
  await addTestPrice(worker);
  await fc.assert(
    fc.asyncProperty(fc.array(anyCommand, { minLength: 5, maxLength: 30 }), async (commands) => {
      const ledgers = await BothLedgers.open({ database, platform, gateway, worker });
      for (const command of [...beginning, ...commands]) {
        const answers = await command.on(ledgers);
        expect(answers.database, command.name).toEqual(answers.model);
      }
      expect(await ledgers.readDatabase()).toEqual(ledgers.readModel());
    }),
    { numRuns: HISTORIES },
  );
}, 300_000);
