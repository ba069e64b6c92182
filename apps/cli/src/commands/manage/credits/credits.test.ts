import { test } from "@tollgate/testkit/test.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { expect } from "vitest";
import { startManaged } from "../manage.fixture.ts";

test("`credits buy` prints the checkout URL, waits for the payment, and prints the new balance", async ({
  database,
}) => {
  const { cli, platform, owner } = await startManaged(database);
  const simulate = (id: string, outcome: string) =>
    platform.api("POST", `/api/credits/purchases/${id}/simulate`, { token: owner.token, body: { outcome } });
  let reported = "";
  const buying = cli.run(["credits", "buy", "20"], { listen: (text) => (reported += text) });
  const order = await waitFor("the order", () => /order (pur_\w+)/.exec(reported)?.[1]);
  await simulate(order, "paid");
  const bought = await buying;
  expect(bought).toMatchObject({ code: 0, stdout: expect.stringMatching(/^http:\S+\/ui\/checkout\/pur_\w+\n$/) });
  expect(bought.stderr).toContain("✓ Credited $20.00; balance $20.00");
  // No spinner is shown if the output isn't a terminal.
  for (const sign of ["\r", "\x1b", "⠋"]) expect(bought.stderr).not.toContain(sign);

  expect((await cli.run(["balance"])).stdout).toMatch(/^balance\t\$20\.00\navailable\t\$20\.00\nstatus\tok\n/);
  expect(await cli.json("credits")).toMatchObject({ balance: 20_000_000_000, burn: { perDay: 0 } });
  expect((await cli.run(["quota"])).stdout).toContain("purchased\t$20.00\n");
  expect((await cli.run(["credits", "orders"])).stdout).toContain(`\t$20.00\tpaid\t`);
  expect((await cli.json("purchases", "--status", "paid")).data).toMatchObject([{ id: order, amount: 20_000_000_000 }]);
  expect((await cli.run(["credits", "orders", "show", order])).stdout).toMatch(/status\tpaid\n(?:.*\n)*credited\t2/);
  expect((await cli.run(["credits", "ledger"])).stdout).toMatch(/\tpurchase\t\+\$20\.00\t\$20\.00\t/);
  const csv = await cli.run(["transactions", "--csv=kind,amount", "--kind", "purchase", "--since", "1d"]);
  expect(csv.stdout).toBe("kind,amount\r\npurchase,20000000000\r\n");
  const ledger = await cli.run(["credits", "ledger"], { terminal: { columns: 80 } });
  expect(ledger.stdout).toContain("\x1b[32m+$20.00");
});

test("`credits buy` exits with code 7 if the order is still unpaid and with code 5 if the order failed", async ({
  database,
}) => {
  const { cli, platform, owner } = await startManaged(database);
  const simulate = (id: string, outcome: string) =>
    platform.api("POST", `/api/credits/purchases/${id}/simulate`, { token: owner.token, body: { outcome } });
  const late = await cli.run(["credits", "buy", "5", "--wait", "0", "--json"]);
  expect(late.code).toBe(7);
  const { error } = JSON.parse(late.stderr.trim().split("\n").at(-1) as string);
  expect(error).toMatchObject({
    code: "PAYMENT_PENDING",
    fix: expect.stringMatching(/^tollgate credits buy --order pur_/),
  });
  const order = error.fix.split(" ").at(-1);
  await simulate(order, "paid");
  const resumed = await cli.run(["credits", "buy", "--order", order]);
  expect(resumed).toMatchObject({ code: 0, stderr: expect.stringContaining("Credited $5.00") });

  const opened = await cli.json("credits", "buy", "7.50", "--no-wait");
  expect(opened).toMatchObject({
    status: "pending",
    amount: 7_500_000_000,
    checkoutUrl: expect.stringContaining("/ui/"),
  });
  await simulate(opened.id, "expired");
  expect(await cli.run(["credits", "buy", "--order", opened.id])).toMatchObject({
    code: 5,
    stderr: expect.stringContaining("The order expired unpaid."),
  });

  expect(await cli.run(["credits", "buy", "1"])).toMatchObject({ code: 2, stderr: expect.stringContaining("amount") });
  expect(await cli.run(["credits", "buy", "many"])).toMatchObject({ code: 2 });
  expect(await cli.run(["credits", "buy"])).toMatchObject({ code: 2 });
  expect(await cli.run(["credits", "byu", "5"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("Did you mean 'tollgate credits buy'?"),
  });
  expect(await cli.run(["credits", "buy", "--order", "pur_01J00000000000000000000000"])).toMatchObject({ code: 3 });
  const plan = await cli.run(["credits", "buy", "5", "--dry-run", "--json"]);
  expect(JSON.parse(plan.stdout)).toMatchObject({ dryRun: true, request: { amount: 5_000_000_000 } });
  const member = await platform.addMember(owner.organizationId, "member", { [owner.teamId]: "member" });
  cli.signIn(platform.url, member.token);
  expect(await cli.run(["credits", "buy", "5"])).toMatchObject({ code: 4 });
});
