declare module "vitest" {
  interface TaskMeta {
    /** What the test needs from the machine. The closing part of CI lists it for each skipped test. */
    needs?: string;
  }
}

/** Options of a test or a group that is skipped if the machine lacks what it needs. */
export function needs(
  what: string,
  isAvailable: boolean,
): { readonly skip: boolean; readonly meta: { needs: string } } {
  return { skip: !isAvailable, meta: { needs: what } };
}

/** Options of a test that mounts disks or changes users. */
export const needsRoot = needs("root", process.getuid?.() === 0);
