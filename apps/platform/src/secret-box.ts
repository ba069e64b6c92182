/** Seals text under the installation's secret key. What it is for is bound in: a sealed text opens for nothing else. */
export interface SecretBox {
  seal(text: string, purpose: string): string;
  /** Throws when it was sealed for something else, under a key nobody has any more, or was changed. */
  open(sealed: string, purpose: string): string;
  /** Whether it should be sealed again, because a newer key is in use. */
  isOutdated(sealed: string): boolean;
}
