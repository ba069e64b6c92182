/**
 * Returns the keys of this JSON object in written order, and the first key that occurs twice in any object. JSON.parse
 * silently keeps the last duplicate, so two readers could read different tensors. JSON.parse also moves numeric names
 * to the front. The text must be valid JSON.
 */
export function scanJsonKeys(text: string): { keys: string[]; duplicate?: string } {
  // Only strings, brackets, and commas matter. A string is a key if it follows "{" or a comma inside an object.
  const tokens = /"(?:[^"\\]|\\.)*"|[{}[\],]/g;
  const open: (Set<string> | null)[] = [];
  const outermost = new Set<string>();
  let expectsKey = false;
  for (const [token] of text.matchAll(tokens)) {
    if (token === "{" || token === "[") {
      expectsKey = token === "{";
      open.push(expectsKey ? (open.length === 0 ? outermost : new Set()) : null);
    } else if (token === "}" || token === "]") {
      open.pop();
      expectsKey = false;
    } else if (token === ",") {
      expectsKey = open.at(-1) instanceof Set;
    } else if (expectsKey) {
      const keys = open.at(-1);
      const key = String(JSON.parse(token));
      if (keys?.has(key)) return { keys: [...outermost], duplicate: key };
      keys?.add(key);
      expectsKey = false;
    }
  }
  return { keys: [...outermost] };
}
