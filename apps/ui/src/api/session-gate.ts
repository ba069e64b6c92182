/** Dialog to show on the current page, so that no form input is lost: sign in again, or confirm the password. */
export type ReauthenticationRequest = "sign_in" | "password";

type Listener = (request: ReauthenticationRequest | null) => void;

let waiting: { readonly request: ReauthenticationRequest; readonly settle: (passed: boolean) => void }[] = [];
let listener: Listener = () => {};
let hasSession = false;

/** Records whether a session exists. If a session exists and expires, a dialog opens on the current page. */
export function noteSession(isSignedIn: boolean): void {
  hasSession = isSignedIn;
}

export function onGateRequest(next: Listener): () => void {
  listener = next;
  return () => {
    listener = () => {};
  };
}

/**
 * Resolves to true when the user completes the dialog, or to false if the user dismisses it. Waiting requests share one
 * dialog.
 */
export function requestReauthentication(request: ReauthenticationRequest): Promise<boolean> {
  if (!hasSession) return Promise.resolve(false);
  const passed = new Promise<boolean>((settle) => waiting.push({ request, settle }));
  listener(waiting[0]?.request ?? null);
  return passed;
}

/** Closes the dialog and settles all waiting requests. `passed` is true if the user completed the dialog. */
export function closeReauthentication(passed: boolean): void {
  const asked = waiting;
  waiting = [];
  listener(null);
  for (const { settle } of asked) settle(passed);
}
