/**
 * The keys of the object this JSON text holds, in the order written, and the first key that any object in it holds
 * twice. JSON.parse keeps the last of two silently, so that two readers could see different tensors in one file, and
 * moves names that look like numbers to the front. The text must be valid JSON.
 */
export function scanJsonKeys(text: string): { keys: string[]; duplicate?: string } {
  // Strings, brackets and commas are all that matters: a string is a key where an object or a comma in one precedes it.
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
