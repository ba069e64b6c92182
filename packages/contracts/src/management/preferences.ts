import Type, { type Static } from "typebox";
import { Name, nullable } from "./fields.ts";

/** Limits on each user's preferences. */
const MAX_SAVED_VIEWS = 50;
export const MAX_PREFERENCES_BYTES = 64 * 1024;

const SavedView = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 64 }),
  page: Type.String({ minLength: 1, maxLength: 100 }),
  name: Name,
  search: Type.String({ maxLength: 2_000, description: "The query string of the page's URL" }),
});

const fields = {
  theme: Type.Union([Type.Literal("system"), Type.Literal("light"), Type.Literal("dark")]),
  density: Type.Union([Type.Literal("default"), Type.Literal("compact"), Type.Literal("comfortable")]),
  timezone: nullable(
    Type.String({ minLength: 1, maxLength: 64, description: "An IANA name; null uses the organization's time zone" }),
  ),
  shortcuts: Type.Boolean(),
  savedViews: Type.Array(SavedView, { maxItems: MAX_SAVED_VIEWS }),
  dismissed: Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { maxItems: 200 }),
};

/** A user's console preferences. */
const Preferences = Type.Object(fields);
type Preferences = Static<typeof Preferences>;

/** Omitted fields don't change. */
export const PreferencesChange = Type.Partial(Preferences);

export const PreferencesAnswer = Type.Object({ preferences: Preferences });

/** Default preferences for a new user. */
export const defaultPreferences: Preferences = {
  theme: "system",
  density: "default",
  timezone: null,
  shortcuts: true,
  savedViews: [],
  dismissed: [],
};
