import type { Contestant } from "../contestants/contestant.ts";
import type { Upstream } from "../upstream/start-upstream.ts";
import { groupModel, upstreamModel, writeChatRequest } from "../wire/chat-request.ts";
import { findJsonProblem, findStreamProblem } from "../wire/find-answer-problem.ts";

/** Calls a contestant once in each mode, and throws unless it does all the work that is measured. */
export async function checkContestant(contestant: Contestant, upstream: Upstream): Promise<void> {
  const expected = contestant.rewritesModel ? groupModel : upstreamModel;
  const sentOn = contestant.rewritesModel ? upstreamModel : groupModel;
  for (const isStreamed of [false, true]) {
    const answer = await fetch(new URL("/v1/chat/completions", contestant.url), {
      method: "POST",
      headers: { ...contestant.headers, "content-type": "application/json" },
      body: new Uint8Array(writeChatRequest(groupModel, isStreamed)),
    });
    const body = await answer.text();
    const problem =
      answer.status !== 200
        ? `status ${answer.status}: ${body}`
        : isStreamed
          ? findStreamProblem(body, expected)
          : findJsonProblem(body, expected);
    if (problem !== null) throw new Error(`${contestant.name}: ${problem}`);
    const received = JSON.parse(await upstream.readLastBody()).model;
    if (received !== sentOn) throw new Error(`${contestant.name} called for ${received} upstream, expected ${sentOn}`);
  }
}
