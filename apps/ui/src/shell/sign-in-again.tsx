import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useEffect, useState } from "react";
import { client } from "../api/client.ts";
import { useMe } from "../api/me.ts";
import { closeReauthentication, onGateRequest, type ReauthenticationRequest } from "../api/session-gate.ts";
import { Button } from "../components/button.tsx";
import { Dialog } from "../components/dialog.tsx";
import { ErrorText } from "../components/error-text.tsx";
import { Field } from "../components/field.tsx";
import { PasswordInput, TextInput } from "../components/inputs.tsx";
import { Notice } from "../components/notice.tsx";

/**
 * Prompts for the password on the current page if the session expired or an action requires the password. Form input is
 * preserved.
 */
export function SignInAgain() {
  const { user } = useMe();
  const queries = useQueryClient();
  const [request, setRequest] = useState<ReauthenticationRequest | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  useEffect(() => onGateRequest(setRequest), []);
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const password = String(form.get("password"));
    const totp = String(form.get("totp") ?? "") || undefined;
    setBusy(true);
    setFailure(null);
    try {
      if (request === "password") await client.call("reauthenticate", { body: { password, ...(totp && { totp }) } });
      else
        await client.call("createCookieSession", {
          body: { email: user?.email ?? "", password, ...(totp && { totp }) },
        });
      closeReauthentication(true);
      void queries.invalidateQueries({ queryKey: ["getMe"] });
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };
  const isEnded = request === "sign_in";
  return (
    <Dialog
      title={isEnded ? "Sign in again" : "Confirm your password"}
      open={request !== null}
      onClose={() => closeReauthentication(false)}
      width={400}
    >
      <form onSubmit={(event) => void submit(event)} className="grid gap-4">
        <p className="text-muted">
          {isEnded
            ? "Your session has ended. Sign in to continue where you left off."
            : "This action requires a sign-in within the last 10 minutes."}
        </p>
        {failure !== null && (
          <Notice tone="danger">
            <ErrorText error={failure} />
          </Notice>
        )}
        <input type="hidden" autoComplete="username" value={user?.email ?? ""} readOnly />
        <Field label={`Password for ${user?.email ?? "your account"}`}>
          <PasswordInput name="password" autoComplete="current-password" autoFocus required />
        </Field>
        <Field label="One-time code" optional>
          <TextInput name="totp" inputMode="numeric" autoComplete="one-time-code" />
        </Field>
        <Button variant="primary" type="submit" busy={isBusy}>
          {isEnded ? "Sign in" : "Confirm"}
        </Button>
      </form>
    </Dialog>
  );
}
