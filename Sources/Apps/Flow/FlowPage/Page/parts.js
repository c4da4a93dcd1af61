// The forms of the page, each over a screen.

import { $, make } from "./kit/elements.js";
import { ScreenForm } from "./kit/forms.js";

/// What alerts of the screens are about.
export const titles = {
  splash: "The session did not begin",
  authentication: "You could not be signed in",
  verification: "The code was not accepted",
  step1: "This step was not sent",
  step2: "This step was not sent",
  step3: "This step was not sent",
};

/// The steps by the names that the server has for them, and after them the end.
export const steps = ["step1", "step2", "step3", "completion"];
export const stepTitles = { step1: "About you", step2: "Your address", step3: "Confirm", completion: "All steps are done" };

/// Makes the forms: by their screens.
export function makeForms(act, sendSecret) {
  const submit = (screen) => () => act(screen, { submit: {} });
  const authentication = new ScreenForm($("authentication-form"), {
    busy: "Signing in…",
    send: submit("authentication"),
    secret: (name, text) => sendSecret("authentication", { setPassword: { _0: text } }),
    edit: async ({ email, terms, privacy }) => {
      const hasEmail = await act("authentication", { setEmail: { _0: email } });
      return (await act("authentication", { setConsents: { _0: { terms, privacy } } })) && hasEmail;
    },
  });
  const verification = new ScreenForm($("verification-form"), {
    busy: "Verifying…",
    send: submit("verification"),
    secret: (name, text) => sendSecret("verification", { setCode: { _0: text } }),
    edit: async () => true,
  });
  const step = (screen) =>
    new ScreenForm($(`${screen}-form`), {
      busy: "Sending…",
      send: submit(screen),
      secret: async () => true,
      edit: (values) => act(screen, { edit: { _0: values } }),
    });
  return { authentication, verification, step1: step("step1"), step2: step("step2"), step3: step("step3") };
}

/// The values of a form's fields, as its screen has them; secrets are in no state.
export function valuesOf(screen, state) {
  if (screen === "authentication") return { email: state.email, ...state.consents };
  return state.model ?? {};
}

const day = new Intl.DateTimeFormat(navigator.languages?.length ? [...navigator.languages] : undefined, { dateStyle: "long", timeZone: "UTC" });

/// What was entered, with its names.
export function facts({ email, fullName, dateOfBirth, address, city }) {
  const date = new Date(`${dateOfBirth}T00:00:00Z`);
  const lines = [
    ["E-mail", email],
    ["Name", fullName],
    ["Date of birth", Number.isNaN(date.getTime()) ? dateOfBirth : day.format(date)],
    ["Address", address],
    ["City", city],
  ];
  return lines.filter(([, text]) => text).flatMap(([name, text]) => [make("dt", {}, name), make("dd", { dir: "auto" }, text)]);
}
