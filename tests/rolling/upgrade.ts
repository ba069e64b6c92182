import { execFileSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual, parseArgs } from "node:util";
import { choosePort } from "../../packages/testkit/src/processes/choose-port.ts";
import { removeAtExit } from "../../packages/testkit/src/processes/clean-up.ts";
import { waitFor } from "../../packages/testkit/src/wait-for.ts";
import { DevInstance } from "./stage/dev-instance.ts";
import { installedRelease, packedRelease, previousRelease, type Release } from "./stage/release.ts";

// Tests an upgrade the way users perform it: installs the packaged previous release and creates data with it, and then
// runs this packaged tree on the same folder. Only the version may change.

const CALLS = 30;
const GRANT = "5000000000";
const SETTLED_LIMIT_MS = 30_000;

interface Person {
  readonly token: string;
  readonly apiKey: string;
}

/** Data that an upgrade must not change. */
interface Holdings {
  readonly balance: string;
  readonly keys: readonly object[];
  readonly assistants: readonly string[];
  readonly ledger: readonly object[];
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    // `--installed` names a folder in which this packaged tree is already installed.
    options: { json: { type: "boolean", default: false }, installed: { type: "string" } },
  });
  const tell = (line: string) => console.log(line);
  const folder = mkdtempSync(join(tmpdir(), "tollgate-upgrade-"));
  removeAtExit(folder);
  const older = previousRelease(tell);
  if (values.installed === undefined) tell("packing and installing this tree");
  const newer =
    values.installed === undefined ? packedRelease(join(folder, "installed")) : installedRelease(values.installed);
  const data = join(folder, "data");
  const price = "input_cost_per_token: 0.000001, output_cost_per_token: 0.000004";
  const settings = `model_list: [{ model_name: priced, litellm_params: { model: sim/echo, ${price} } }]\n`;
  const port = await choosePort();

  const before = await DevInstance.start(older, folder, settings, port);
  const person = await signUp(before);
  const spent = await makeCalls(before, person, CALLS);
  await before.ask("POST", "/v1/assistants", person.apiKey, { model: "priced", name: "Keeper", instructions: "Stay." });
  await awaitSpent(before, person, spent);
  const had = await listHoldings(before, person);
  await before.stop();
  tell(`${older.version}: ${CALLS} calls, ${spent} nano-USD`);

  const upgradedAtMs = performance.now();
  const after = await DevInstance.start(newer, folder, settings, port);
  const upgradeMs = Math.round(performance.now() - upgradedAtMs);
  const has = await listHoldings(after, person);
  const isSame = isDeepStrictEqual(has, had);
  if (!isSame) tell(`before ${JSON.stringify(had)}\nafter  ${JSON.stringify(has)}`);
  const later = await makeCalls(after, person, CALLS);
  await awaitSpent(after, person, spent + later);
  await after.stop();
  const differences = verify(newer, data);
  const figures = {
    from: older.version,
    to: newer.version,
    calls: 2 * CALLS,
    same: isSame,
    upgrade_ms: upgradeMs,
    verify_differences: differences,
  };
  tell(JSON.stringify(figures));
  if (!values.json) tell(isSame && differences === 0 ? "upgrade: good" : "upgrade: BAD");
  return isSame && differences === 0 ? 0 : 1;
}

async function signUp(dev: DevInstance): Promise<Person> {
  const account = { email: "person@example.org", password: "a long password for tests" };
  interface SignedUp {
    readonly token: string;
    readonly organization: { readonly id: string };
    readonly team: { readonly id: string };
  }
  const { token, organization, team } = await dev.ask<SignedUp>("POST", "/api/auth/sign-up", "", account);
  const administrator = await dev.ask<{ token: string }>("POST", "/api/auth/token", "", dev.admin);
  const grant = { amount: GRANT, reason: "for the upgrade" };
  await dev.ask("POST", `/api/admin/organizations/${organization.id}/credits`, administrator.token, grant);
  const named = { name: "kept", team_id: team.id };
  const made = await dev.ask<{ apiKey: { token: string } }>("POST", "/api/gw/api-keys", token, named);
  return { token, apiKey: made.apiKey.token };
}

/** Makes calls sequentially and returns their total cost, based on the reported usage. */
async function makeCalls(dev: DevInstance, { apiKey }: Person, count: number): Promise<bigint> {
  let spent = 0n;
  for (let call = 0; call < count; call += 1) {
    const messages = [{ role: "user", content: `call number ${call}, which is kept` }];
    const body = { model: "priced", messages };
    interface Usage {
      readonly usage: { readonly prompt_tokens: number; readonly completion_tokens: number };
    }
    const { usage } = await dev.ask<Usage>("POST", "/v1/chat/completions", apiKey, body);
    spent += BigInt(usage.prompt_tokens) * 1_000n + BigInt(usage.completion_tokens) * 4_000n;
  }
  return spent;
}

async function awaitSpent(dev: DevInstance, { token }: Person, spent: bigint): Promise<void> {
  const expected = BigInt(GRANT) - spent;
  await waitFor(
    "the calls to be settled",
    async () => {
      const { usd } = await dev.ask<{ usd: { balance: string } }>("GET", "/api/balance", token);
      return BigInt(usd.balance.replace(".", "")) === expected;
    },
    { limitMs: SETTLED_LIMIT_MS },
  );
}

async function listHoldings(dev: DevInstance, { token, apiKey }: Person): Promise<Holdings> {
  interface List<Item> {
    readonly data: readonly Item[];
  }
  interface Line {
    readonly kind: string;
    readonly entries: number;
    readonly usd: object;
  }
  const { usd } = await dev.ask<{ usd: { balance: string } }>("GET", "/api/balance", token);
  const keys = await dev.ask<List<{ id: string; name: string }>>("GET", "/api/api-keys", token);
  const assistants = await dev.ask<List<{ id: string }>>("GET", "/v1/assistants", apiKey);
  const { lines } = await dev.ask<{ lines: readonly Line[] }>("GET", "/api/credits/ledger", token);
  return {
    balance: usd.balance,
    keys: keys.data.map(({ id, name }) => ({ id, name })),
    assistants: assistants.data.map(({ id }) => id),
    ledger: lines.map(({ kind, entries, usd: amounts }) => ({ kind, entries, amounts })),
  };
}

/** Returns the number of differences that `ledger verify` finds. */
function verify({ program }: Release, data: string): number {
  const args = ["ledger", "verify", "--data", data, "--json"];
  const text = execFileSync(program, args, { encoding: "utf8", env: { PATH: process.env.PATH, HOME: data } });
  const report = JSON.parse(text) as {
    readonly checks: readonly { readonly ok: boolean; readonly differing: number }[];
  };
  if (report.checks.length === 0) throw new Error("nothing was verified");
  return report.checks.reduce((sum, { differing }) => sum + differing, 0);
}

process.exit(await main());
