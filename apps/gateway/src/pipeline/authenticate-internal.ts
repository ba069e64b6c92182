import type { Socket } from "node:net";
import { Failure } from "@tollgate/contracts/failures.ts";
import type { Exchange } from "../edge/exchange.ts";
import { checkCaller } from "./authenticate.ts";
import type { Caller } from "./caller.ts";

/**
 * Reads internal tokens. Other processes of this instance use them to make calls on behalf of a key without the key's
 * secret.
 */
export interface InternalCallers {
  /** Reports whether a connection between these addresses may use an internal token. */
  isInternal(peerAddress: string, ownAddress: string): boolean;
  /**
   * Returns the caller that a token identifies. Returns null if the token is invalid or expired, or has a different
   * purpose.
   */
  read(pass: string): Promise<InternalCaller | null>;
}

export interface InternalCaller {
  /** The key's current record; null if the key was deleted. */
  readonly caller: Caller | null;
  /** Endpoint name under which the request is recorded. */
  readonly endpoint: string;
}

/** Purpose of a token with all permissions of its key. Tokens with other purposes allow only inference. */
export const RELAY = "platform.relay";

/** Purpose of a token that a worker uses for a run's calls. */
export const RUNS = "assistants.run";

/**
 * Authenticates a call by its internal token. If tokens are not accepted from this peer, throws the same failure as for
 * an invalid key.
 */
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

/** Authenticates a request other than inference. Accepts only relay tokens, which act on behalf of a signed-in user. */
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
