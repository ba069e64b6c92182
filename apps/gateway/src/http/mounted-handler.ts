import type { IncomingMessage, ServerResponse } from "node:http";

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** A handler for specific path prefixes. Handles all methods and uses its own response format. */
export interface MountedHandler {
  /** Path prefixes such as `/api`, including everything below them. */
  readonly prefixes: readonly string[];
  /** Excluded paths below the prefixes. */
  readonly except?: readonly string[];
  readonly handle: RequestHandler;
  /**
   * Under overload, receives read requests instead of `handle`. Refuses all of them except requests that must always be
   * served.
   */
  readonly refuseRead?: RequestHandler;
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
  const below =
    (handle: RequestHandler): RequestHandler =>
    (request, response) => {
      const target = request.url as string;
      if (target.startsWith(`${rootPath}/`)) request.url = target.slice(rootPath.length);
      handle(request, response);
    };
  return {
    prefixes: alsoBelow(mounted.prefixes, rootPath),
    ...(mounted.except && { except: alsoBelow(mounted.except, rootPath) }),
    handle: below(mounted.handle),
    ...(mounted.refuseRead && { refuseRead: below(mounted.refuseRead) }),
  };
}

function alsoBelow(paths: readonly string[], rootPath: string): readonly string[] {
  return [...paths, ...paths.map((path) => rootPath + path)];
}
