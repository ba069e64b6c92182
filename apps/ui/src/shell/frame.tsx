import { useQueryClient } from "@tanstack/react-query";
import { PublicFrame } from "./public-frame.tsx";
import { Shell } from "./shell.tsx";

/** Whether somebody is signed in. The router has found out before anything is drawn. */
export function useIsSignedIn(): boolean {
  return useQueryClient().getQueryData(["getMe", {}]) !== undefined;
}

/** The console's own frame, or the plain one of strangers. */
export function Frame() {
  return useIsSignedIn() ? <Shell /> : <PublicFrame />;
}
