import Type, { type Static } from "typebox";
import { nullable } from "./fields.ts";

const settingSources = ["file", "environment", "default"] as const;

/** Effective settings for display. A secret is shown as `set` or `not set`. */
export const AdminSettings = Type.Object({
  sections: Type.Array(
    Type.Object({
      title: Type.String(),
      description: Type.String(),
      settings: Type.Array(
        Type.Object({
          name: Type.String(),
          value: Type.Unknown(),
          source: Type.Enum(settingSources),
          file: nullable(Type.String()),
          line: nullable(Type.Integer()),
          /** Environment variable that supplied the value. */
          variable: nullable(Type.String()),
          needsRestart: Type.Boolean(),
          description: Type.String(),
        }),
      ),
    }),
  ),
});
export type AdminSettings = Static<typeof AdminSettings>;
