import type { MountedHandler, RequestHandler } from "./http-server.ts";

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
