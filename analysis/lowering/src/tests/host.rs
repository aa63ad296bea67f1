//! Calls that functions of the host make: those that are the same alone are not followed again.

use super::inference::levels;
use super::*;

/// A loader of the host for the current library, with a tensor a layer.
fn host_loading(prelude: &str, load: &str, call: &str) -> Arc<Body> {
    let text = format!(
        "use {prelude}::prelude::*;
         axes![A = 2048];
         struct Layer {{ norm: HbmTensor<bf16, m![1], m![A]> }}
         {load}
         async fn load_all(ctx: &mut Context, tensors: &SafeTensors<'_>) {{
             for layer in 0..8 {{
                 let loaded = {call}.await;
                 let norm = loaded.norm;
                 norm.to_host::<m![A]>(&mut ctx.pdma).await;
             }}
         }}"
    );
    let mut db = AnalysisDatabase::default();
    db.set_project([("host.rs", text.as_str())], Vec::new(), Options::default());
    let file = db.file("host.rs").expect("the file");
    let items = file_items(&db, file).items.clone();
    let mut functions = items.iter().filter(|item| &*item.name(&db) == "load_all");
    crate::body(&db, *functions.next().expect("the function"))
}

const LOAD: &str =
    "async fn load(ctx: &mut Context, tensors: &SafeTensors<'_>, layer: usize) -> Layer {
    let name = format!(\"layers.{layer}.norm\");
    let host: HostTensor<bf16, m![A]> = HostTensor::from_safetensors(&tensors.tensor(&name));
    Layer { norm: host.to_hbm(&mut ctx.pdma).await }
}";

#[test]
fn a_host_call_that_is_the_same_alone_is_not_followed_again() {
    let body = host_loading("furiosa_opt_std", LOAD, "load(ctx, tensors, layer)");
    assert_eq!(methods(&body.operations), ["to_host"; 8]);
    // Its result is known by its type.
    assert_eq!(levels(&body, "norm"), ["1", "A"]);
    assert_eq!(reasons(&body), []);
}

#[test]
fn a_host_call_is_followed_where_the_caller_decides_what_it_does() {
    // A number that the function reads.
    let reads = LOAD.replace(
        "let name",
        "for _ in 0..layer { host.to_hbm(&mut ctx.pdma).await; }\nlet name",
    );
    // A result that its type does not tell.
    let returns = LOAD.replace("-> Layer", "-> Result<Layer, Error>");
    // A tensor that the caller made.
    let takes = LOAD.replace(
        "layer: usize",
        "layer: usize, one: &HbmTensor<bf16, m![1], m![A]>",
    );
    let calls = [
        (reads, "load(ctx, tensors, layer)"),
        (returns, "load(ctx, tensors, layer)"),
        (takes, "load(ctx, tensors, layer, &HbmTensor::new())"),
    ];
    for (load, call) in calls {
        let body = host_loading("furiosa_opt_std", &load, call);
        let own = methods(&body.operations);
        assert!(
            own.iter().filter(|name| *name == "to_hbm").count() >= 8,
            "{load}: {own:?}"
        );
    }
    // Where addresses are written, two calls may be in each other's way.
    let load = LOAD.replace("&mut ctx.pdma", "&mut ctx.pdma, 0");
    let body = host_loading("furiosa_visa_std", &load, "load(ctx, tensors, layer)");
    let own = methods(&body.operations);
    assert!(own.iter().any(|name| name == "to_hbm"), "{own:?}");
}
