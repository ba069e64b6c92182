import { OMITTED_FIELDS } from "@tollgate/domain/credit/usage-event.ts";
import { makeUuidV7 } from "@tollgate/domain/ids.ts";
import { NO_USAGE } from "@tollgate/domain/pricing/usage.ts";
import { encodeClose, encodeOpen, recordSpace } from "@tollgate/journal/encode-record.ts";
import { encodeIdentity, encodeTarget } from "@tollgate/journal/record-blocks.ts";

const roomBytes = 4096;
const anId = makeUuidV7(0);

/** Returns the total size of the two journal records for a typical call. */
export function recordBytes(): number {
  const space = recordSpace(Buffer.alloc(roomBytes));
  const prefixed = (prefix: string) => `${prefix}_${anId.replaceAll("-", "")}`;
  const call = {
    id: anId,
    identity: encodeIdentity({
      organizationId: prefixed("org"),
      teamId: prefixed("team"),
      keyId: prefixed("key"),
      userId: null,
    }),
    target: encodeTarget({
      endpoint: "/v1/chat/completions",
      modelGroup: "bench-model",
      deploymentId: "bench-model-1",
      provider: "openai",
      priceVersionId: anId,
    }),
    requestId: anId,
    isStream: false,
    hold: 1_000n,
    isBilled: true,
    epoch: 1,
    budgets: [],
    lostAttempts: [],
  };
  const openEnd = encodeOpen(space, 0, call);
  return encodeClose(space, openEnd, call, {
    status: "success",
    httpStatus: 200,
    errorCode: null,
    usage: { ...NO_USAGE, inputTokens: 171, outputTokens: 60 },
    cost: 1_000n,
    fromLease: 1_000n,
    budgetShares: [],
    endedAtMs: 0,
    latencyMs: 1_200,
    firstTokenMs: null,
    ...OMITTED_FIELDS,
  });
}
