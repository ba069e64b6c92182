/** Calls a model for a key as any client would: over a gateway, which admits, holds, routes and charges the call. */
export interface ModelCaller {
  /** Resolves with the head of the answer. Throws when no gateway answered at all. */
  call(call: ModelCall): Promise<ModelAnswer>;
}

export interface ModelCall {
  /** Whom the call is charged to. */
  readonly keyId: string;
  /** What the books know the call by. */
  readonly label: string;
  /** A chat completion body. */
  readonly body: string;
  readonly signal: AbortSignal;
}

export interface ModelAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Buffer>;
}
