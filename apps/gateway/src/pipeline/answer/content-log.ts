/** Request and response of one call, one character per byte. */
export interface CallContent {
  readonly id: string;
  readonly organizationId: string;
  readonly request: string;
  readonly answer: string;
}

/** Stores content for organizations that opted in. It may drop entries, and never fails. */
export interface ContentLog {
  keep(content: CallContent): void;
}

/** Maximum stored length. Longer texts are truncated. */
export const MAX_CONTENT_BYTES = 64 * 1024;
