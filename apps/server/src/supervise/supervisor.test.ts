import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { expect, onTestFinished, test } from "vitest";
import { Supervisor } from "./supervisor.ts";

test("a child that cannot be started is tried again, and the supervisor goes on", async () => {
  const { execPath } = process;
  onTestFinished(() => {
    process.execPath = execPath;
  });
  process.execPath = "/no-such-program";
  const warnings: unknown[] = [];
  const supervisor = new Supervisor([{ kind: "worker" }], null, {}, { warn: (...line) => warnings.push(line) });
  void supervisor.start();
  await waitFor("the second attempt", () => warnings.length >= 2);
  supervisor.stop();
  expect(await supervisor.ended).toBe(0);
  expect(warnings[0]).toMatchObject(["worker process exited; restarting it", { child: 0, error: { code: "ENOENT" } }]);
});
