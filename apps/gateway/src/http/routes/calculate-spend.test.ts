import { expect } from "vitest";
import { test } from "./chat-gateway.fixture.ts";

test("the cost of a response contains the fee per request", async ({ start }) => {
  const costs = "input_cost_per_token: 0.000001, output_cost_per_token: 0.000002";
  const gateway = await start({
    yaml: `
  - { model_name: metered, litellm_params: { model: openai_compatible/m, api_base: "http://127.0.0.1:9/v1", ${costs} } }
gw_settings: { cost_margin: { global: { fixed_amount: 0.001 } } }`,
  });
  const costOf = async (prompt_tokens: number, completion_tokens: number) => {
    const completion_response = { usage: { prompt_tokens, completion_tokens } };
    const answer = await gateway.post("/spend/calculate", { model: "metered", completion_response });
    return (await answer.json()) as Record<string, number>;
  };
  expect(await costOf(1_000, 500)).toMatchObject({ cost_nano_usd: 3_000_000 });
  // A response without usage has no fees.
  expect(await costOf(0, 0)).toMatchObject({ cost_nano_usd: 0 });
});
