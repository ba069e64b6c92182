/** What one call asked and was answered, one character for each byte. */
export interface CallContent {
  readonly id: string;
  readonly organizationId: string;
  readonly request: string;
  readonly answer: string;
}

/** Keeps contents for those who want that. It may lose some, and never fails. */
export interface ContentLog {
  keep(content: CallContent): void;
}

/** Of longer texts only the beginning is kept. */
export const MAX_CONTENT_BYTES = 64 * 1024;
