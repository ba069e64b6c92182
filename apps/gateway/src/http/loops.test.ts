import { watchAwakeTime } from "@tollgate/testkit/awake-time.ts";
import { findFreePort } from "@tollgate/testkit/free-port.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { describe, expect, test } from "vitest";
import { MASTER_KEY } from "../test-gateway.fixture.ts";
import { startEdge } from "./edge.fixture.ts";
import { chatRequest, RawClient } from "./raw-client.fixture.ts";

describe("X6: a gateway that is its own upstream", () => {
  test("quickly returns an error for a call that loops back", async () => {
    const port = await findFreePort();
    const target = `{ model: openai/loop, api_base: "http://127.0.0.1:${port}/v1", api_key: ${MASTER_KEY} }`;
    await using edge = await startEdge({
      port,
      yaml: `model_list: [{ model_name: loop, litellm_params: ${target} }]`,
    });
    const client = await RawClient.connect(port);
    const body = '{"model":"loop","messages":[{"role":"user","content":"again"}]}';
    const awakeTime = watchAwakeTime();
    const elapsedMs: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      const sentAtMs = performance.now();
      client.send(chatRequest({ body }));
      const answer = await client.answer(round);
      elapsedMs.push(awakeTime(sentAtMs, performance.now()));
      expect(answer.status).toBeGreaterThanOrEqual(500);
    }
    expect(Math.min(...elapsedMs)).toBeLessThan(50);
    await waitFor("calls to end", () => edge.http.liveCalls === 0);
    expect(edge.records.length).toBeLessThanOrEqual(3 * 4);
    expect(edge.unexpected).toEqual([]);
    client.close();
  });

  test.each(["0", "1", "3"])("serves a call that has passed through %s gateways", async (hops) => {
    await using edge = await startEdge();
    const client = await RawClient.connect(edge.port);
    client.send(chatRequest({ headers: [`x-gw-hops: ${hops}`] }));
    expect((await client.answer(0)).status).toBe(200);
    client.close();
  });

  test.each(["4", "5", "99999", "-1", "0x1", "1e0", "3.5", "many", "", " 1 1", "NaN", "Infinity", "\xb2"])(
    "rejects a call with x-gw-hops %j",
    async (hops) => {
      await using edge = await startEdge();
      const client = await RawClient.connect(edge.port);
      client.send(chatRequest({ headers: [`x-gw-hops: ${hops}`] }));
      const answer = await client.answer(0);
      expect(answer.status).toBe(508);
      expect(JSON.parse(answer.body)).toMatchObject({ error: { code: "loop_detected" } });
      expect(edge.records).toEqual([]);
      client.close();
    },
  );
});
