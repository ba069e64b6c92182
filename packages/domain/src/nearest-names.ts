/** Maximum number of names that are suggested. */
const MAX_NAMES = 3;
/** Longest name that is compared letter by letter. Longer names are not typing errors. */
const MAX_LENGTH = 100;
/** Shortest beginning of a name that is recognized. */
const MIN_BEGINNING = 3;
/** Ranks of a name that begins with the written one, and of one that the written name begins with. */
const BEGINNING_RANK = 2;
const LONGER_RANK = 3;

/**
 * Returns the known names that were most likely meant, closest first. Compares names with and without the part before
 * the last slash, so that a missing or wrong provider is also recognized.
 */
export function findNearestNames(written: string, known: Iterable<string>): readonly string[] {
  if (written === "" || written.length > MAX_LENGTH) return [];
  const whole = written.toLowerCase();
  const bare = bareName(whole);
  const found: { readonly name: string; readonly rank: number }[] = [];
  for (const name of known) {
    const other = name.toLowerCase();
    const rank = Math.min(rankOf(whole, other), rankOf(bare, bareName(other)));
    if (rank !== Number.POSITIVE_INFINITY) found.push({ name, rank });
  }
  return found
    .sort((left, right) => left.rank - right.rank || (left.name < right.name ? -1 : 1))
    .slice(0, MAX_NAMES)
    .map(({ name }) => name);
}

function bareName(name: string): string {
  return name.slice(name.lastIndexOf("/") + 1);
}

function rankOf(written: string, name: string): number {
  if (name === "" || name.length > MAX_LENGTH) return Number.POSITIVE_INFINITY;
  const allowed = allowedDistance(Math.min(written.length, name.length));
  const distance = boundedDistance(written, name, allowed);
  if (distance <= allowed) return distance;
  if (written.length >= MIN_BEGINNING && name.startsWith(written)) return BEGINNING_RANK + excess(name, written);
  if (name.length >= MIN_BEGINNING && written.startsWith(name)) return LONGER_RANK + excess(written, name);
  return Number.POSITIVE_INFINITY;
}

/** Returns a fraction below 1 that grows with the number of additional letters. */
function excess(longer: string, shorter: string): number {
  return (longer.length - shorter.length) / MAX_LENGTH;
}

/** Short names differ by few letters anyway, so fewer errors are allowed in them. */
function allowedDistance(length: number): number {
  if (length < 3) return 0;
  if (length < 6) return 1;
  return length < 12 ? 2 : 3;
}

/** Rows of the table of distances. They are reused, because thousands of names are compared for one request. */
const rows = [new Uint8Array(MAX_LENGTH + 2), new Uint8Array(MAX_LENGTH + 2)] as const;

/**
 * Returns the number of letters to add, remove, or replace to turn one string into the other; a number above the limit
 * if the limit is exceeded. Computes only the cells of the table that can be within the limit, so that a client that
 * sends many unknown names can't keep the process busy.
 */
function boundedDistance(left: string, right: string, limit: number): number {
  const beyond = limit + 1;
  if (Math.abs(left.length - right.length) > limit) return beyond;
  let [previous, current] = rows as readonly [Uint8Array, Uint8Array];
  for (let column = 0; column <= Math.min(right.length, beyond); column += 1) previous[column] = column;
  for (let row = 1; row <= left.length; row += 1) {
    const letter = left.charCodeAt(row - 1);
    const first = Math.max(1, row - limit);
    const last = Math.min(right.length, row + limit);
    let cell = first === 1 ? Math.min(row, beyond) : beyond;
    let least = cell;
    current[first - 1] = cell;
    for (let column = first; column <= last; column += 1) {
      const replaced = (previous[column - 1] as number) + (letter === right.charCodeAt(column - 1) ? 0 : 1);
      cell = Math.min(replaced, (previous[column] as number) + 1, cell + 1);
      current[column] = cell;
      if (cell < least) least = cell;
    }
    if (least > limit) return beyond;
    // The next row reads one cell further.
    if (last < right.length) current[last + 1] = beyond;
    [previous, current] = [current, previous];
  }
  return previous[right.length] as number;
}
