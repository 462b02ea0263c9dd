page.start({});
