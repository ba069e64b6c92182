import { Link } from "@tanstack/react-router";
import type { FormEvent } from "react";
import { useChange } from "../../api/queries.ts";
import { Button } from "../../components/button.tsx";
import { ErrorText } from "../../components/error-text.tsx";
import { Field } from "../../components/field.tsx";
import { PasswordInput } from "../../components/inputs.tsx";
import { Notice } from "../../components/notice.tsx";
import { readLinkToken } from "./link-token.ts";
import { SignInFrame } from "./sign-in-frame.tsx";

/** Target of password reset links. */
export function ResetPasswordPage() {
  const reset = useChange("resetPassword", { isQuiet: true });
  const token = readLinkToken();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    reset.mutate({
      body: { token: token ?? "", newPassword: String(new FormData(event.currentTarget).get("password")) },
    });
  };
  return (
    <SignInFrame
      title="Set a new password"
      beside={
        <Link to="/login" className="text-accent underline">
          Sign in
        </Link>
      }
    >
      {token === null && <Notice tone="danger">This link is incomplete. Open the link from the email again.</Notice>}
      {reset.isSuccess && (
        <p role="status">Password changed. All sessions were signed out. Sign in with your new password.</p>
      )}
      {token !== null && !reset.isSuccess && (
        <form onSubmit={submit} className="grid gap-4">
          {reset.error !== null && (
            <Notice tone="danger">
              <ErrorText error={reset.error} />
            </Notice>
          )}
          <Field label="New password">
            <PasswordInput name="password" autoComplete="new-password" required autoFocus />
          </Field>
          <Button variant="primary" size="lg" type="submit" busy={reset.isPending}>
            Set password
          </Button>
        </form>
      )}
    </SignInFrame>
  );
}
