import type { IncomingMessage, ServerResponse } from "node:http";

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** A handler for specific path prefixes. Handles all methods and uses its own response format. */
export interface MountedHandler {
  /** Path prefixes such as `/api`, including everything below them. */
  readonly prefixes: readonly string[];
  /** Excluded paths below the prefixes. */
  readonly except?: readonly string[];
  readonly handle: RequestHandler;
  /** Under overload, receives read requests instead of `handle`, and refuses them. */
  readonly refuseRead?: RequestHandler;
  /**
   * Reports whether reads of this target are served under overload, too. They don't use up the few reads that are served
   * regardless of pressure.
   */
  readonly isAlwaysServed?: (target: string) => boolean;
}

/** Reports whether a request target is below the handler's prefixes. */
export function isUnder({ prefixes, except }: MountedHandler, target: string): boolean {
  const isBelow = prefixes.some(
    (prefix) =>
      target.startsWith(prefix) && (target.length === prefix.length || "/?".includes(target.charAt(prefix.length))),
  );
  return isBelow && (except === undefined || !except.includes(target.split("?", 1)[0] as string));
}

/** Returns a handler that also serves its prefixes below the root path of this Tollgate instance. */
export function underRootPath(mounted: MountedHandler, rootPath: string): MountedHandler {
  if (rootPath === "") return mounted;
  const withoutRoot = (target: string) => (target.startsWith(`${rootPath}/`) ? target.slice(rootPath.length) : target);
  const below =
    (handle: RequestHandler): RequestHandler =>
    (request, response) => {
      request.url = withoutRoot(request.url as string);
      handle(request, response);
    };
  const { isAlwaysServed } = mounted;
  return {
    prefixes: alsoBelow(mounted.prefixes, rootPath),
    ...(mounted.except && { except: alsoBelow(mounted.except, rootPath) }),
    handle: below(mounted.handle),
    ...(mounted.refuseRead && { refuseRead: below(mounted.refuseRead) }),
    ...(isAlwaysServed && { isAlwaysServed: (target: string) => isAlwaysServed(withoutRoot(target)) }),
  };
}

function alsoBelow(paths: readonly string[], rootPath: string): readonly string[] {
  return [...paths, ...paths.map((path) => rootPath + path)];
}
