/** Encrypts user content before it is stored, and decrypts it. */
export interface Sealer {
  seal(text: string, purpose: string): string;
  open(sealed: string, purpose: string): string;
}

/** Encrypts a record's fields. The result can be decrypted for this record only. */
export function sealRecord(sealer: Sealer, id: string, fields: object): string {
  return sealer.seal(JSON.stringify(fields), purposeOf(id));
}

export function openRecord<Fields>(sealer: Sealer, id: string, sealed: string): Fields {
  return JSON.parse(sealer.open(sealed, purposeOf(id))) as Fields;
}

/** Returns the encryption purpose of a record. */
function purposeOf(id: string): string {
  return `assistants:${id}`;
}
