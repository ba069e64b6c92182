// The credit lifecycle, using only HTTP requests. Start `tollgate dev`, then run: node examples/credit-story/run.mjs
const origin = process.env.TOLLGATE_URL ?? "http://127.0.0.1:4000";
let token = null;

async function api(method, path, body) {
  const headers = { "content-type": "application/json", "idempotency-key": crypto.randomUUID() };
  if (token !== null) headers.authorization = `Bearer ${token}`;
  const answer = await fetch(origin + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  const json = await answer.json();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${json.error}`);
  return json;
}

async function chat(key, content = "hello") {
  const headers = { "content-type": "application/json", "x-gw-api-key": key };
  const body = JSON.stringify({ model: "sim/paid", messages: [{ role: "user", content }] });
  const answer = await fetch(`${origin}/v1/chat/completions`, { method: "POST", headers, body });
  return { status: answer.status, cost: answer.headers.get("x-gw-response-cost-nano-usd"), json: await answer.json() };
}

async function buy(usd) {
  const { purchase } = await api("POST", "/api/credits/purchases", { amount: usd * 1e9 });
  await api("POST", `/api/credits/purchases/${purchase.id}/simulate`, { outcome: "paid" });
  return purchase.id;
}

/** Reads the balance until it is as expected. Without the pause, a busy instance would refuse the flood of reads. */
async function balanceWhen(isExpected) {
  for (;;) {
    const read = await api("GET", "/api/balance");
    if (isExpected(read.balance)) return read;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

const email = `ada-${Date.now()}@example.org`;
const account = await api("POST", "/api/auth/sign-up", { email, password: "a long example password" });
token = account.token;
console.log(`signed up    ${email}, organization ${account.organization.id}`);

const { apiKey } = await api("POST", "/api/gw/api-keys", { name: "story", team_id: account.team.id });
const refused = await chat(apiKey.token);
console.log(`no credit    ${refused.status} ${refused.json.error.code}: ${refused.json.error.message}`);

await buy(5);
console.log(`bought       ${(await api("GET", "/api/balance")).usd.balance} USD`);

const answer = await chat(apiKey.token);
console.log(`called       ${answer.status} "${answer.json.choices[0].message.content}" for ${answer.cost} nano-USD`);

// A call is settled moments after its answer.
const balance = await balanceWhen((settled) => settled < 5e9);
console.log(`left         ${balance.usd.balance} USD`);

// Spends most of a large purchase on long prompts at a few cents each. The refund then leaves a debt.
const refunded = await buy(20);
let spent = 0;
while (spent < 12e9) {
  const answers = await Promise.all(Array.from({ length: 25 }, () => chat(apiKey.token, "word ".repeat(24_000))));
  spent += answers.reduce((sum, { cost }) => sum + Number(cost), 0);
}
await balanceWhen((settled) => settled <= balance.balance + 20e9 - spent);
await api("POST", `/api/credits/purchases/${refunded}/simulate`, { outcome: "refunded" });

async function tell(what) {
  const { status, json } = await chat(apiKey.token);
  console.log(
    `${what.padEnd(12)} ${(await api("GET", "/api/balance")).usd.balance} USD: ${status} ${json.error?.code ?? "answered"}`,
  );
}
await tell("refunded");
await buy(5);
await tell("paid a part");
await buy(5);
await tell("paid");
