import { useQueryClient } from "@tanstack/react-query";
import { PublicFrame } from "./public-frame.tsx";
import { Shell } from "./shell.tsx";

/** Reports whether the user is signed in. The router loads the user before the first render. */
export function useIsSignedIn(): boolean {
  return useQueryClient().getQueryData(["getMe", {}]) !== undefined;
}

/** Console frame, or the public frame for signed-out users. */
export function Frame() {
  return useIsSignedIn() ? <Shell /> : <PublicFrame />;
}
