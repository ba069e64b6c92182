/** Request and response of one call, one character per byte. */
export interface CallContent {
  readonly id: string;
  readonly organizationId: string;
  readonly request: string;
  readonly answer: string;
}

/** Stores content for organizations that opted in. May drop entries, but never fails. */
export interface ContentLog {
  keep(content: CallContent): void;
}

/** Maximum stored length. Longer text is truncated. */
export const MAX_CONTENT_BYTES = 64 * 1024;
