/** Calls a model on behalf of a key, as any client does, through a gateway that admits, routes, and bills the call. */
export interface ModelCaller {
  /** Resolves with the head of the response. Throws if no gateway responded. */
  call(call: ModelCall): Promise<ModelAnswer>;
}

export interface ModelCall {
  /** The API key that the call is charged to. */
  readonly keyId: string;
  /** The call's label in the ledger. */
  readonly label: string;
  /** Chat completion body. */
  readonly body: string;
  readonly signal: AbortSignal;
}

export interface ModelAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Buffer>;
}
