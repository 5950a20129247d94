//! Reads, checks and writes a whole manifest.

use std::path::Path;

use serde::ser::SerializeStruct;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::{Map, Value};

use crate::instances::Instances;
use crate::manifest::{Family, Kernel, Template, VERSION, read_text};
use crate::program::{Program, plan::Plan};
use crate::{Error, Result};

/// Everything that one PTX file holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manifest {
    /// Version of the format: [`VERSION`].
    pub version: u32,
    /// One entry a kernel, of those that take no sizes at run time.
    pub kernels: Vec<Kernel>,
    /// One entry a kernel, of those that do.
    pub templates: Vec<Template>,
    /// Names for several kernels, of which a launch takes one by its sizes.
    pub families: Vec<Family>,
    /// Functions of a model, which launch them.
    pub programs: Vec<Program>,
}

/// An entry of `kernels`: with `sizes`, or without.
#[derive(Serialize)]
#[serde(untagged)]
enum Entry<'m> {
    Kernel(&'m Kernel),
    Template(&'m Template),
}

/// One parsed entry of `kernels`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnyKernel {
    /// It takes no sizes at run time.
    Kernel(Box<Kernel>),
    /// It does.
    Template(Box<Template>),
}

impl<'de> Deserialize<'de> for AnyKernel {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let entry = Map::deserialize(deserializer)?;
        let takes_sizes = match entry.get("sizes") {
            None => false,
            Some(Value::Array(sizes)) => !sizes.is_empty(),
            // It says what is wrong with them.
            Some(_) => true,
        };
        if takes_sizes {
            let template = Template::try_from(entry).map_err(|error| match error {
                Error::Manifest(message) => de::Error::custom(message),
                error => de::Error::custom(error),
            })?;
            return Ok(Self::Template(Box::new(template)));
        }
        let name = entry.get("name").and_then(Value::as_str).map(str::to_owned);
        let kernel: std::result::Result<Kernel, serde_json::Error> =
            serde_json::from_value(Value::Object(entry));
        let kernel = kernel.and_then(|kernel| match kernel.lacks_grid() {
            true => Err(de::Error::missing_field("grid")),
            false => Ok(kernel),
        });
        kernel.map(|kernel| Self::Kernel(Box::new(kernel))).map_err(|error| match name {
            Some(name) => de::Error::custom(format!("kernel {name}: {error}")),
            None => de::Error::custom(error),
        })
    }
}

/// A manifest as it is read.
#[derive(Deserialize)]
struct Unchecked {
    version: u32,
    kernels: Vec<AnyKernel>,
    #[serde(default)]
    families: Vec<Family>,
    #[serde(default)]
    programs: Vec<Program>,
}

impl Serialize for Manifest {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let kernels = self.kernels.iter().map(Entry::Kernel);
        let templates = self.templates.iter().map(Entry::Template);
        let kernels: Vec<Entry<'_>> = kernels.chain(templates).collect();
        let fields =
            2 + usize::from(!self.families.is_empty()) + usize::from(!self.programs.is_empty());
        let mut manifest = serializer.serialize_struct("Manifest", fields)?;
        manifest.serialize_field("version", &self.version)?;
        manifest.serialize_field("kernels", &kernels)?;
        if !self.families.is_empty() {
            manifest.serialize_field("families", &self.families)?;
        }
        if !self.programs.is_empty() {
            manifest.serialize_field("programs", &self.programs)?;
        }
        manifest.end()
    }
}

impl Manifest {
    /// A manifest of kernels that take no sizes at run time.
    pub fn of(kernels: Vec<Kernel>) -> Self {
        Self {
            version: VERSION,
            kernels,
            templates: Vec::new(),
            families: Vec::new(),
            programs: Vec::new(),
        }
    }

    /// Reads JSON text and checks the version, and that families are of kernels that are there.
    ///
    /// # Errors
    ///
    /// A text that is no manifest.
    pub fn parse(text: &str) -> Result<Self> {
        let read: Unchecked =
            serde_json::from_str(text).map_err(|error| Error::Manifest(error.to_string()))?;
        if read.version != VERSION {
            return Err(Error::Manifest(format!(
                "expected version {VERSION}, found version {}",
                read.version
            )));
        }
        let Unchecked { kernels, families, programs, .. } = read;
        let mut manifest = Self { families, programs, ..Self::of(Vec::new()) };
        for entry in kernels {
            manifest.push(entry);
        }
        manifest.check()?;
        Ok(manifest)
    }

    /// Reads a JSON file.
    ///
    /// # Errors
    ///
    /// A file that cannot be read, or that is no manifest.
    pub fn load(path: &Path) -> Result<Self> {
        Self::parse(&read_text(path)?)
    }

    /// Adds a kernel.
    pub fn push(&mut self, kernel: AnyKernel) {
        match kernel {
            AnyKernel::Kernel(kernel) => self.kernels.push(*kernel),
            AnyKernel::Template(template) => self.templates.push(*template),
        }
    }

    /// Checks integers after pointers, names, families, and programs.
    ///
    /// # Errors
    ///
    /// A contradiction in the manifest.
    pub fn check(&self) -> Result<()> {
        self.kernels.iter().try_for_each(Kernel::check_integers)?;
        let mut names: Vec<&str> = self.kernels.iter().map(|kernel| kernel.name.as_str()).collect();
        let templates = self.templates.iter().map(Template::name);
        for name in templates.chain(self.families.iter().map(|family| family.name.as_str())) {
            if names.contains(&name) {
                return Err(Error::Manifest(format!(
                    "expected kernels and families of different names, found two {name}"
                )));
            }
            names.push(name);
        }
        for family in &self.families {
            family.check(&family.kernels(&self.templates)?)?;
        }
        self.programs.iter().try_for_each(|program| program.check(&names))
    }

    /// Bytes of the workspace of one of the programs, and of its buffers if no two shared memory. `None` if those depend on
    /// sizes known at run time.
    ///
    /// # Errors
    ///
    /// A kernel of the program that the manifest lacks or that contradicts it.
    pub fn workspace_of(&self, program: &Program) -> Option<Result<(usize, usize)>> {
        if !program.size_names().is_empty() {
            return None;
        }
        let plain = self.kernels.iter().cloned().map(Instances::of_kernel);
        let sized = self.templates.iter().cloned().map(Instances::of_template).map(Ok);
        let families = self.families.iter().cloned();
        let families = families.map(|family| Instances::of_family(family, &self.templates));
        let all: Result<Vec<Instances>> = plain.chain(sized).chain(families).collect();
        let all = match all {
            Ok(all) => all,
            Err(error) => return Some(Err(error)),
        };
        let plan = Plan::new(program, &[], |name| {
            let found = all.iter().find(|one| one.name() == name);
            found.ok_or_else(|| Error::Manifest(format!("expected a kernel {name}, found none")))
        });
        Some(plan.map(|plan| (plan.workspace, plan.unshared)))
    }

    /// The kernels with sizes that are no family's variants.
    pub fn templates_alone(&self) -> impl Iterator<Item = &Template> {
        let variants = self.families.iter().flat_map(|family| &family.variants);
        let variants: Vec<&str> = variants.map(|variant| variant.kernel.as_str()).collect();
        self.templates.iter().filter(move |template| !variants.contains(&template.name()))
    }
}
