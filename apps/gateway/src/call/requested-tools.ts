/** The tools of a request that the provider runs. */
export interface RequestedTools {
  /** Names of the tools, without the date that some providers add. */
  readonly types: readonly string[];
  /** Maximum number of calls of all these tools. If the request has no limit, the hold covers a default. */
  readonly maxCalls: number;
  /** Maximum number of tokens that a call adds to the prompt; null if nothing limits them but the context window. */
  readonly tokensPerCall: number | null;
  /** True if these tools only search the web. */
  readonly onlySearches: boolean;
  /** True if the provider bills no code sessions, because the request has a web tool that runs code itself. */
  readonly isCodeFree: boolean;
  /** Size of a search's context; null if the request doesn't set it. */
  readonly searchContext: string | null;
}
