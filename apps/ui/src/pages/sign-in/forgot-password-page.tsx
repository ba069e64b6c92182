import { Link } from "@tanstack/react-router";
import type { FormEvent } from "react";
import { useChange } from "../../api/queries.ts";
import { Button } from "../../components/button.tsx";
import { ErrorText } from "../../components/error-text.tsx";
import { Field } from "../../components/field.tsx";
import { TextInput } from "../../components/inputs.tsx";
import { Notice } from "../../components/notice.tsx";
import { SignInFrame } from "./sign-in-frame.tsx";

/** Sends a password reset link. The response is the same whether or not the account exists. */
export function ForgotPasswordPage() {
  const send = useChange("forgotPassword", { isQuiet: true });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    send.mutate({ body: { email: String(new FormData(event.currentTarget).get("email")).trim() } });
  };
  return (
    <SignInFrame
      title="Reset your password"
      beside={
        <Link to="/login" className="text-accent underline">
          Back to sign-in
        </Link>
      }
    >
      {send.isSuccess ? (
        <p role="status">
          If an account exists for this email address, we sent a reset link to that address. The link expires in one
          hour.
        </p>
      ) : (
        <form onSubmit={submit} className="grid gap-4">
          {send.error !== null && (
            <Notice tone="danger">
              <ErrorText error={send.error} />
            </Notice>
          )}
          <Field label="Email">
            <TextInput name="email" type="email" autoComplete="username" required autoFocus />
          </Field>
          <Button variant="primary" size="lg" type="submit" busy={send.isPending}>
            Send reset link
          </Button>
        </form>
      )}
    </SignInFrame>
  );
}
