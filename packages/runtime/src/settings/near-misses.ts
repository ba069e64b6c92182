const SHORT_NAME = 5;
/** Minimum name length for suggestions. Too many shorter names differ by only one letter. */
const SHORTEST_GUESSED = 3;

/** Returns the known name that was probably meant, or null if no name is close enough. */
export function findNearMiss(written: string, known: Iterable<string>): string | null {
  const allowed = written.length < SHORT_NAME ? 1 : 2;
  let best: string | null = null;
  let bestDistance = allowed + 1;
  for (const name of known) {
    if (name.length < SHORTEST_GUESSED) continue;
    const distance = editDistance(written, name);
    if (distance < bestDistance) {
      best = name;
      bestDistance = distance;
    }
  }
  return best;
}

const MAX_VARIABLE_DISTANCE = 3;
const MAX_VARIABLES_NAMED = 3;

/** Returns the environment variables with the most similar names, closest first. */
export function findSimilarVariables(missing: string, set: Iterable<string>): readonly string[] {
  const allowed = missing.length < SHORT_NAME ? 1 : MAX_VARIABLE_DISTANCE;
  return [...set]
    .map((name) => ({ name, distance: editDistance(missing.toUpperCase(), name.toUpperCase()) }))
    .filter(({ distance }) => distance <= allowed)
    .sort((left, right) => left.distance - right.distance || (left.name < right.name ? -1 : 1))
    .slice(0, MAX_VARIABLES_NAMED)
    .map(({ name }) => name);
}

/** Returns the number of letters to add, remove, replace, or transpose to turn one string into the other. */
export function editDistance(left: string, right: string): number {
  const columns = right.length + 1;
  const cells = new Int32Array((left.length + 1) * columns);
  const at = (row: number, column: number): number => cells[row * columns + column] as number;
  for (let row = 0; row <= left.length; row += 1) {
    for (let column = 0; column <= right.length; column += 1) {
      cells[row * columns + column] = cheapest(row, column);
    }
  }
  return at(left.length, right.length);

  function cheapest(row: number, column: number): number {
    if (row === 0 || column === 0) return row + column;
    const isSame = left[row - 1] === right[column - 1];
    const step = Math.min(at(row - 1, column) + 1, at(row, column - 1) + 1, at(row - 1, column - 1) + (isSame ? 0 : 1));
    const isSwap = row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
    return isSwap ? Math.min(step, at(row - 2, column - 2) + 1) : step;
  }
}
