import { composeRequest, mutateRequest, type RandomSource } from "./mutate-request.ts";
import { buildBody } from "./play/build-body.ts";
import { Exchange } from "./play/exchange.ts";
import { readJson } from "./play/match-answer.ts";
import type { Answer } from "./play/read-answer.ts";
import { SDKS, Subject } from "./play/subject.ts";
import type { ParticipantProfile, RecordedRequest } from "./recorded-case.ts";

const SHOWN = 10;

/**
 * Sends damaged and malformed requests to both SDKs. Both must accept the same requests with the same result and reject
 * all others with the same code. If a request has several errors, an SDK may report any of them.
 */
export async function compareMutations(
  profile: ParticipantProfile,
  count: number,
  random: RandomSource,
): Promise<string[]> {
  const subjects = await Promise.all(SDKS.map((sdk) => Subject.start(sdk, profile)));
  const problems: string[] = [];
  try {
    for (let done = 0; done < count && problems.length < SHOWN; done += 1) {
      const request = random.chance(0.5) ? mutateRequest(random) : composeRequest(random);
      const answers = await Promise.all(subjects.map(({ port }) => new Exchange(port, request).answer));
      const [first, second] = answers.map(describeVerdict);
      if (first === second && !first?.startsWith("5")) continue;
      problems.push(`${describeRequest(request)}\n  ${SDKS[0]}: ${first}\n  ${SDKS[1]}: ${second}`);
    }
  } finally {
    for (const subject of subjects) await subject.stop();
  }
  return problems;
}

function describeVerdict({ status, body }: Answer): string {
  if (status === 200) return `200 ${body.toString("utf8")}`;
  const { code } = (readJson(body) ?? {}) as { code?: string };
  return `${status} ${code}`;
}

function describeRequest({ path, body }: RecordedRequest): string {
  const bytes = body === undefined ? Buffer.alloc(0) : buildBody(body);
  return `${path} ${JSON.stringify(bytes.toString("latin1"))}`;
}
