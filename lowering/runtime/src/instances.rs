//! The kernels of one name, by size: the part of a launch that needs no device.

use std::sync::Arc;

use crate::kept::SizeCache;
use crate::manifest::{Argument, Family, Kernel, Size, Template};
use crate::template::check_values;
use crate::{Error, Result};

/// A kernel of sizes that are known.
#[derive(Debug, PartialEq, Eq)]
pub struct Instance {
    kernel: Kernel,
    variant: usize,
    workspaces: Vec<usize>,
}

impl Instance {
    fn new(kernel: Kernel, variant: usize) -> Result<Self> {
        let workspaces = kernel.workspaces.iter();
        let workspaces = workspaces.map(|workspace| workspace.workspace_bytes());
        let workspaces = workspaces.collect::<Result<_>>()?;
        Ok(Self { kernel, variant, workspaces })
    }

    /// How it is launched.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// Its number among the variants of a family; 0 of a kernel alone.
    pub fn variant(&self) -> usize {
        self.variant
    }

    /// Bytes of each workspace.
    pub fn workspaces(&self) -> &[usize] {
        &self.workspaces
    }

    /// Checks that there is a pointer for each argument, of its alignment.
    ///
    /// # Errors
    ///
    /// Pointers that are too few or too many; one that is null or is less aligned than the kernel was compiled for.
    pub fn check_pointers(&self, pointers: &[u64]) -> Result<()> {
        let Kernel { name, args, .. } = &self.kernel;
        let differs = |expected: String, found: String| {
            Err(Error::Launch(format!("kernel {name}: expected {expected}, found {found}")))
        };
        if pointers.len() != args.len() {
            let names: Vec<&str> = args.iter().map(|argument| argument.name.as_str()).collect();
            let expected = format!("{} pointers ({})", args.len(), names.join(", "));
            return differs(expected, pointers.len().to_string());
        }
        for (argument, &pointer) in args.iter().zip(pointers) {
            let alignment = argument.pointer_alignment() as u64;
            if pointer == 0 {
                return differs(format!("device memory for {}", argument.name), "null".to_owned());
            }
            if !pointer.is_multiple_of(alignment) {
                let found = format!(
                    "an address {} bytes past a multiple of {alignment}",
                    pointer % alignment
                );
                return differs(
                    format!("{} at a multiple of {alignment} bytes", argument.name),
                    found,
                );
            }
        }
        Ok(())
    }
}

/// A kernel, a kernel that takes sizes, or a family of such.
#[derive(Debug)]
pub struct Instances(Source);

#[derive(Debug)]
enum Source {
    Plain(Arc<Instance>),
    Sized(Box<BySizes>),
}

/// One kernel that takes sizes, or several.
#[derive(Debug)]
struct BySizes {
    name: String,
    sizes: Vec<Size>,
    family: Option<Family>,
    variants: Vec<Template>,
    kept: SizeCache<Instance>,
}

impl Instances {
    /// A kernel that takes no sizes.
    ///
    /// # Errors
    ///
    /// A workspace whose layout is no matrix.
    pub fn of_kernel(kernel: Kernel) -> Result<Self> {
        Ok(Self(Source::Plain(Arc::new(Instance::new(kernel, 0)?))))
    }

    /// A kernel that takes sizes.
    pub fn of_template(template: Template) -> Self {
        let (name, sizes) = (template.name().to_owned(), template.sizes().to_vec());
        Self::sized(name, sizes, None, vec![template])
    }

    /// A family, among whose kernels these are.
    ///
    /// # Errors
    ///
    /// When one is missing.
    pub fn of_family(family: Family, templates: &[Template]) -> Result<Self> {
        let variants = family.kernels(templates)?.into_iter().cloned().collect();
        let (name, sizes) = (family.name.clone(), family.sizes.clone());
        Ok(Self::sized(name, sizes, Some(family), variants))
    }

    fn sized(
        name: String,
        sizes: Vec<Size>,
        family: Option<Family>,
        variants: Vec<Template>,
    ) -> Self {
        let kept = SizeCache::default();
        Self(Source::Sized(Box::new(BySizes { name, sizes, family, variants, kept })))
    }

    /// The name of the kernel or the family.
    pub fn name(&self) -> &str {
        match &self.0 {
            Source::Plain(instance) => &instance.kernel.name,
            Source::Sized(sized) => &sized.name,
        }
    }

    /// The sizes that it takes, in order.
    pub fn sizes(&self) -> &[Size] {
        match &self.0 {
            Source::Plain(_) => &[],
            Source::Sized(sized) => &sized.sizes,
        }
    }

    /// Whether it is a family.
    pub fn is_family(&self) -> bool {
        matches!(&self.0, Source::Sized(sized) if sized.family.is_some())
    }

    /// Its arguments, with shapes and strides as texts over the sizes; those of a family's last variant, which takes all sizes.
    pub fn args(&self) -> Vec<Argument> {
        match &self.0 {
            Source::Plain(instance) => instance.kernel.args.clone(),
            Source::Sized(sized) => sized.variants.last().map(Template::args).unwrap_or_default(),
        }
    }

    /// The kernel of each variant, of the smallest sizes that it takes.
    pub fn variants(&self) -> Vec<&Kernel> {
        match &self.0 {
            Source::Plain(instance) => vec![&instance.kernel],
            Source::Sized(sized) => sized.variants.iter().map(Template::smallest).collect(),
        }
    }

    /// The kernel of these sizes. Those of the last 1,024 different sizes are kept.
    ///
    /// # Errors
    ///
    /// As [`Template::at`] and [`Family::variant`].
    pub fn at(&self, values: &[i64]) -> Result<Arc<Instance>> {
        let BySizes { family, variants, kept, .. } = match &self.0 {
            Source::Plain(instance) => {
                let name = &instance.kernel.name;
                check_values(&format!("kernel {name}"), &[], values)?;
                return Ok(Arc::clone(instance));
            }
            Source::Sized(sized) => sized.as_ref(),
        };
        kept.get(values, || {
            let variant = family.as_ref().map_or(Ok(0), |family| family.variant(values))?;
            let template = variants.get(variant).ok_or_else(|| {
                Error::Manifest(format!(
                    "expected variant {variant} of {}, found none",
                    self.name()
                ))
            })?;
            Instance::new(template.at(values)?, variant)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use serde_json::{Value, json};

    use super::*;
    use crate::kept::CAPACITY;
    use crate::manifest::Manifest;

    fn kernel(name: &str) -> Value {
        json!({
            "name": name, "chip": "sm_90a", "sizes": [{"name": "m", "most": 65536}],
            "grid": ["ceil_div(m,128)*32", 1, 1], "grid_limit": "multiprocessors", "block": [384, 1, 1],
            "shared_bytes": 200704,
            "args": [
                {"name": "a", "element": "bf16", "shape": "(m,4096)", "stride": "(4096,1)", "access": "read",
                 "sizes": [{"value": "m", "bits": 32}]},
                {"name": "b", "element": "bf16", "shape": "(4096,4096)", "stride": "(4096,1)", "access": "read"},
                {"name": "c", "element": "bf16", "shape": "(m,4096)", "stride": "(4096,1)", "access": "write",
                 "sizes": [{"value": "m", "bits": 32}]}],
            "workspaces": [{"name": "sums", "element": "f32", "shape": "(m,4096)", "stride": "(4096,1)",
                 "access": "write", "sizes": [{"value": "m", "bits": 32}]}],
            "tensor_maps": [
                {"arg": 0, "element": "bf16", "extents": [4096, "m"], "strides": [2, 8192], "box": [64, 128],
                 "swizzle": 128},
                {"arg": 1, "element": "bf16", "extents": [4096, 4096], "strides": [2, 8192], "box": [64, 128],
                 "swizzle": 128},
                {"arg": 2, "element": "bf16", "extents": [4096, "m"], "strides": [2, 8192], "box": [64, 64],
                 "swizzle": 128}],
            "problem": {"kind": "matmul", "m": "m", "n": 4096, "k": 4096}
        })
    }

    fn family() -> Instances {
        let text = json!({"version": 1, "kernels": [kernel("gemm_0"), kernel("gemm_1")], "families": [{
            "name": "gemm", "sizes": [{"name": "m", "most": 65536}],
            "variants": [{"most": {"m": 64}, "kernel": "gemm_0"}, {"kernel": "gemm_1"}]}]});
        let Manifest { families, templates, .. } = Manifest::parse(&text.to_string()).unwrap();
        Instances::of_family(families[0].clone(), &templates).unwrap()
    }

    #[test]
    fn a_name_gives_the_kernel_of_its_sizes() {
        let family = family();
        assert_eq!((family.name(), family.sizes().len(), family.variants().len()), ("gemm", 1, 2));
        let [small, large] = [64, 65].map(|m| family.at(&[m]).unwrap());
        assert_eq!((small.variant(), small.kernel().name.as_str()), (0, "gemm_0"));
        assert_eq!((large.variant(), large.kernel().name.as_str()), (1, "gemm_1"));
        assert_eq!(
            (small.workspaces(), large.kernel().args[0].shape.as_str()),
            (&[1 << 20][..], "(65,4096)")
        );
        let error = |sizes: &[i64]| family.at(sizes).unwrap_err().to_string();
        assert_eq!(
            error(&[65537]),
            "launch: family gemm, size m: expected 1 to 65536, found 65537"
        );
        assert_eq!(error(&[]), "launch: family gemm: expected 1 size (m), found 0");
        let plain = Instances::of_kernel(small.kernel().clone()).unwrap();
        assert_eq!(plain.at(&[]).unwrap().kernel(), small.kernel());
        assert_eq!(
            plain.at(&[64]).unwrap_err().to_string(),
            "launch: kernel gemm_0: expected no sizes, as all of its are static, found 1"
        );
    }

    #[test]
    fn pointers_are_as_the_kernel_was_compiled_for() {
        let instance = family().at(&[8]).unwrap();
        instance.check_pointers(&[16, 32, 48]).unwrap();
        let error = |pointers: &[u64]| instance.check_pointers(pointers).unwrap_err().to_string();
        assert_eq!(error(&[16]), "launch: kernel gemm_0: expected 3 pointers (a, b, c), found 1");
        assert_eq!(
            error(&[16, 0, 16]),
            "launch: kernel gemm_0: expected device memory for b, found null"
        );
        assert_eq!(
            error(&[16, 32, 20]),
            "launch: kernel gemm_0: expected c at a multiple of 16 bytes, found an address 4 bytes past a multiple of 16"
        );
    }

    /// More sizes than are kept, from several threads in orders of their own.
    #[test]
    fn instances_are_those_of_their_sizes_from_any_thread() {
        let (family, again) = (family(), family());
        let most = CAPACITY as i64 + 200;
        std::thread::scope(|scope| {
            for step in [1, 7, 11, 13] {
                let (family, again) = (&family, &again);
                scope.spawn(move || {
                    for number in 0..most {
                        let m = number * step % most + 1;
                        let instance = family.at(&[m]).unwrap();
                        let extents = &instance.kernel().tensor_maps[0].extents;
                        assert_eq!(extents[..], [4096, m.cast_unsigned()]);
                        if number % 50 == 0 {
                            assert_eq!(instance, again.at(&[m]).unwrap());
                        }
                    }
                });
            }
        });
        let Source::Sized(sized) = &family.0 else { panic!("a family") };
        assert_eq!(sized.kept.len(), CAPACITY);
    }

    /// All that a launch does before it calls the driver, for sizes that were seen before; `--nocapture` prints the time.
    #[test]
    fn a_launch_of_sizes_seen_before_parses_nothing() {
        const BATCH: u32 = 1000;
        let family = family();
        let launch = |m: i64| {
            let instance = family.at(&[m]).unwrap();
            instance.check_pointers(&[1 << 20, 2 << 20, 3 << 20]).unwrap();
            let pointers = [1 << 20, 2 << 20, 3 << 20, 4 << 20];
            instance.kernel().check_tensor_maps(&pointers).unwrap();
            std::hint::black_box(instance.kernel().parameters(&pointers).unwrap());
            instance
        };
        let first = Instant::now();
        let instance = launch(777);
        let first = first.elapsed();
        assert!(Arc::ptr_eq(&instance, &launch(777)));
        let best = (0..50)
            .map(|_| {
                let start = Instant::now();
                (0..BATCH).for_each(|_| _ = std::hint::black_box(launch(777)));
                start.elapsed() / BATCH
            })
            .min()
            .unwrap_or_default();
        println!("first launch {first:?}, launch of sizes seen before {best:?}");
        assert!(best.as_micros() < 20, "{best:?}");
    }
}
