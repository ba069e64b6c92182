/** Seals what people wrote before it is stored, and opens it again. */
export interface Sealer {
  seal(text: string, purpose: string): string;
  open(sealed: string, purpose: string): string;
}

/** The fields of a record as they are stored. They open for this record alone. */
export function sealRecord(sealer: Sealer, id: string, fields: object): string {
  return sealer.seal(JSON.stringify(fields), purposeOf(id));
}

export function openRecord<Fields>(sealer: Sealer, id: string, sealed: string): Fields {
  return JSON.parse(sealer.open(sealed, purposeOf(id))) as Fields;
}

/** What a record's contents are sealed for. */
function purposeOf(id: string): string {
  return `assistants:${id}`;
}
