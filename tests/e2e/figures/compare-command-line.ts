import type { Operations } from "@tollgate/sdk/platform";
import { compareSums, readCsv } from "./compare-api.ts";
import type { Comparison } from "./comparison.ts";
import type { Seeded } from "./figures-test.ts";
import { count, duration, money, share } from "./format-figure.ts";
import { readAccounts } from "./read-accounts.ts";
import { CLASSES, cacheHitRate, NO_SUMS, percentile } from "./read-rows.ts";

type UsageReport = Operations["getUsage"]["answer"];

/** Compares what the command line prints, as JSON and as lines for people. */
export async function compareCommandLine(comparison: Comparison, seeded: Seeded): Promise<void> {
  await compareUsageCommand(comparison, seeded);
  await compareAccountCommands(comparison, seeded);
  await compareCreditCommands(comparison, seeded);
  await compareLogCommands(comparison, seeded);
}

const linesOf = (text: string): readonly (readonly string[])[] =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => line.split("\t"));

async function compareUsageCommand(comparison: Comparison, { rows, month, runCommand }: Seeded): Promise<void> {
  const time = ["--since", month.from.toISOString(), "--until", month.to.toISOString(), "--timezone", "UTC"];
  const all = await rows.sum(month);
  for (const [by, column] of [
    ["model", "model"],
    ["provider", "provider"],
    ["team", "team"],
    ["key", "key"],
  ] as const) {
    const { data, meta } = parseExact(await runCommand("usage", "--by", by, ...time, "--json")) as unknown as {
      data: UsageReport["data"];
      meta: { totals: UsageReport["totals"] };
    };
    compareSums(comparison, "CLI usage, JSON", `by ${by}, total`, meta.totals, all);
    const sums = await rows.sumBy(column, month);
    comparison.compare("CLI usage, JSON", `by ${by}, groups`, data.length, sums.length);
    for (const { group, requests, cost } of data) {
      const name = group[by === "key" ? "apiKey" : by] ?? "";
      const own = sums.find((each) => each.name === name) ?? NO_SUMS;
      comparison.compare("CLI usage, JSON", `by ${by} ${name}, requests`, requests, own.requests);
      comparison.compare("CLI usage, JSON", `by ${by} ${name}, spend`, cost, own.cost);
    }
  }
  const lines = linesOf(await runCommand("usage", "--by", "model", ...time));
  for (const own of await rows.sumBy("model", month)) {
    const line = lines.find(([name]) => name === (own.name || "not recorded"));
    const expected = [
      ["requests", count(own.requests)],
      ["failed", count(own.failed)],
      ["input tokens", count(own.input)],
      ["output tokens", count(own.output)],
      ["cache hit rate", cacheHitRate(own) === null ? "–" : share(cacheHitRate(own) ?? 0)],
      ["cache savings", money(own.saved)],
      ["95th percentile", percentile(own, 0.95) === null ? "–" : duration(percentile(own, 0.95) ?? 0)],
      ["spend", money(own.cost)],
    ] as const;
    for (const [index, [figure, text]] of expected.entries()) {
      comparison.compare("CLI usage", `${own.name || "no model"}, ${figure}`, line?.[index + 1], text);
    }
  }
}

/** Parses JSON with the nano-USD amounts as integers. */
function parseExact(text: string): Readonly<Record<string, unknown>> {
  return JSON.parse(text, (key, value: unknown) =>
    typeof value === "number" && (key === "cost" || key === "avgCost" || key === "cacheSaved") ? BigInt(value) : value,
  ) as Readonly<Record<string, unknown>>;
}

async function compareAccountCommands(comparison: Comparison, seeded: Seeded): Promise<void> {
  const { rows, organizationId, now, runCommand } = seeded;
  const accounts = await readAccounts(rows, organizationId, now);
  const keys = linesOf(await runCommand("keys", "list", "--all"));
  comparison.compare("CLI keys", "number", keys.length, accounts.keys.length);
  for (const { name, teamName, state, total, budget } of accounts.keys) {
    const line = keys.find((cells) => cells[0] === name);
    comparison.compare("CLI keys", `${name}, team`, line?.[1], teamName);
    comparison.compare("CLI keys", `${name}, state`, line?.[3], state.replace("_", " "));
    comparison.compare("CLI keys", `${name}, spend`, line?.[4], money(total.cost));
    comparison.compare("CLI keys", `${name}, budget`, line?.[5], budget === null ? "none" : money(budget.limit));
  }
  const teams = linesOf(await runCommand("teams", "list", "--all"));
  comparison.compare("CLI teams", "number", teams.length, accounts.teams.length);
  for (const { name, members, keys: keyCount } of accounts.teams) {
    const line = teams.find((cells) => cells[0] === name);
    comparison.compare("CLI teams", `${name}, members`, line?.[3], String(members));
    comparison.compare("CLI teams", `${name}, keys`, line?.[4], String(keyCount));
  }
  const members = linesOf(await runCommand("members", "list", "--all"));
  comparison.compare("CLI members", "number", members.length, accounts.members);
  const name = "nightly-evals";
  const key = accounts.keys.find((each) => each.name === name);
  const shown = new Map(linesOf(await runCommand("keys", "show", name)).map(([label, value]) => [label, value]));
  const { total, thisMonth, today } = key ?? { total: NO_SUMS, thisMonth: NO_SUMS, today: NO_SUMS };
  const spent = `${money(total.cost)}, ${money(thisMonth.cost)} this month, ${money(today.cost)} today`;
  comparison.compare("CLI key", "spend", shown.get("spent"), spent);
  comparison.compare("CLI key", "state", shown.get("status"), "cap reached");
}

async function compareCreditCommands(comparison: Comparison, { rows, runCommand }: Seeded): Promise<void> {
  const ledger = await rows.ledger();
  const of = (kind: string) => ledger.get(kind)?.amount ?? 0n;
  const balance = [...ledger.values()].reduce((sum, { amount }) => sum + amount, 0n);
  const quota = new Map(linesOf(await runCommand("quota")).map(([label, value]) => [label, value]));
  for (const [label, amount] of [
    ["balance", balance],
    ["available", balance],
    ["purchased", of("purchase")],
    ["granted", of("grant")],
    ["used", -of("usage")],
    ["refunded", -of("refund")],
  ] as const) {
    comparison.compare("CLI quota", label, quota.get(label), money(amount));
  }
  const { data: burn } = { data: JSON.parse(await runCommand("balance", "--json")) as { burn?: Burn } & Burn };
  const { perDay, daysLeft } = burn.burn ?? burn;
  const shown = new Map(linesOf(await runCommand("balance")).map(([label, value]) => [label, value]));
  comparison.compare("CLI balance", "balance", shown.get("balance"), money(balance));
  comparison.compare("CLI balance", "burn rate", shown.get("daily spend"), money(BigInt(perDay)));
  comparison.compare(
    "CLI balance",
    "days left",
    shown.get("lasts")?.replace(/ \(.*/, ""),
    `${daysLeft.toFixed(1)} days`,
  );
  const orders = linesOf(await runCommand("credits", "orders", "--all"));
  const purchases = await rows.query<{ id: string; amount: string; status: string }>(
    "select id, amount::text as amount, status from purchases order by created_at desc",
  );
  comparison.compare("CLI orders", "number", orders.length, purchases.length);
  for (const [index, { amount, status }] of purchases.entries()) {
    comparison.compare("CLI orders", `order ${index + 1}, amount`, orders[index]?.[1], money(BigInt(amount)));
    comparison.compare("CLI orders", `order ${index + 1}, status`, orders[index]?.[2], status);
  }
}

interface Burn {
  readonly perDay: number;
  readonly daysLeft: number;
}

async function compareLogCommands(comparison: Comparison, { rows, month, keys, runCommand }: Seeded): Promise<void> {
  const time = ["--since", month.from.toISOString(), "--until", month.to.toISOString()];
  const filters: readonly (readonly [name: string, flags: readonly string[], where: string])[] = [
    ...CLASSES.map((name) => [name, ["--class", name], `class = '${name}'`] as const),
    ["one key", ["--key", "live-traffic"], `key = '${keys.busy}'`],
    ["cached", ["--cached"], "is_cached"],
  ];
  for (const [name, flags, where] of filters) {
    const text = await runCommand("logs", "list", ...time, ...flags, "--limit", "1", "--json");
    const { meta } = JSON.parse(text) as { meta: { counts: { requests: number } } };
    comparison.compare("CLI logs", `${name}, requests`, meta.counts.requests, (await rows.sum(month, where)).requests);
  }
  const lines = readCsv(await runCommand("logs", "export", ...time, "--team", "Search"));
  const sums = await rows.sum(month, `team = '${keys.teamId}'`);
  comparison.compare("CLI export", "rows of a team", lines.length, sums.rows);
  const requests = lines.reduce((sum, { weight }) => sum + Number(weight), 0);
  comparison.compare("CLI export", "requests of a team", requests, sums.requests);
}
