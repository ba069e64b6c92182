import type { Socket } from "node:net";
import { Failure } from "@tollgate/contracts/failures.ts";
import type { Exchange } from "../edge/exchange.ts";
import { checkCaller } from "./authenticate.ts";
import type { Caller } from "./caller.ts";

/** Reads the passes by which other processes of this installation call for a key whose secret they do not have. */
export interface InternalCallers {
  /** Whether a connection from there may show a pass at all. */
  isInternal(peerAddress: string, ownAddress: string): boolean;
  /** Whom the pass is for; null when it is not one of ours, is for something else, or its minute is over. */
  read(pass: string): Promise<InternalCaller | null>;
}

export interface InternalCaller {
  /** The key's record as it is now; null when the key is gone. */
  readonly caller: Caller | null;
  /** What the books call such a request. */
  readonly endpoint: string;
}

/** The purpose of a pass that may do all that its key may; every other one opens inference alone. */
export const RELAY = "platform.relay";

/** The purpose of a pass by which a worker makes the calls of a run. */
export const RUNS = "assistants.run";

/** Who calls, by a pass in place of a key. Where no pass is taken, or not from there, it is refused like a bad key. */
export async function authenticateInternal(
  exchange: Exchange,
  internalCallers: InternalCallers | null,
  nowMs: number,
): Promise<Caller> {
  const found = await readPass(exchange.request.socket, exchange.headers.internal as string, internalCallers);
  if (found === null) throw refusePass();
  exchange.endpoint = found.endpoint;
  return checkCaller(found.caller, nowMs);
}

/** The same where nothing is inferred: there, only what people ask for themselves is handed on. */
export async function authenticateRelayed(
  socket: Socket,
  pass: string,
  internalCallers: InternalCallers | null,
  nowMs: number,
): Promise<Caller> {
  const found = await readPass(socket, pass, internalCallers);
  if (found?.endpoint !== RELAY) throw refusePass();
  return checkCaller(found.caller, nowMs);
}

async function readPass(
  { remoteAddress = "", localAddress = "" }: Socket,
  pass: string,
  internalCallers: InternalCallers | null,
): Promise<InternalCaller | null> {
  return internalCallers?.isInternal(remoteAddress, localAddress) === true ? internalCallers.read(pass) : null;
}

function refusePass(): Failure {
  return new Failure("invalid_api_key", "Internal tokens of this kind are not accepted.");
}
