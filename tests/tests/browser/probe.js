// What a page is made of, as plain values.
(() => {
  const all = [...document.querySelectorAll("*")];
  const attributes = all.flatMap(element => [...element.attributes]);
  const set = values => [...new Set(values)].sort();
  return {
    elements: set(all.map(element => element.localName)),
    attributes: set(attributes.map(attribute => attribute.name)),
    addresses: set(attributes.filter(({ name }) => ["href", "src", "action", "style"].includes(name))
      .map(({ value }) => value).filter(value => !/^#[a-z0-9-]+$/.test(value))),
    entries: document.querySelectorAll("main article").length,
    ended: document.querySelector("body > nav, body > footer") !== null || all.length < 30,
  };
})()
