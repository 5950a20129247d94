//! `layout-run program`: a model's function on tensors from files, and its time.

use std::fs;
use std::path::{Path, PathBuf};

use layout_runtime::chosen::Choice;
use layout_runtime::data::Random;
use layout_runtime::driver::{Buffer, Gpu, Stream};
use layout_runtime::executable::Executable;
use layout_runtime::manifest::read_text;
use layout_runtime::program;
use layout_runtime::runnable::{Runnable, Tensor};
use layout_runtime::{Error, Result};

/// The options of the command line.
pub(crate) struct Options<'a> {
    /// PTX or a cubin.
    pub(crate) code: &'a Path,
    /// By default beside the code.
    pub(crate) manifest: Option<&'a Path>,
    /// Which program, where there are several.
    pub(crate) name: Option<&'a str>,
    pub(crate) sizes: &'a [Choice],
    /// A folder with a file for each argument, in the order of their names.
    pub(crate) arguments: Option<&'a Path>,
    /// Where results are written.
    pub(crate) results: Option<&'a Path>,
    /// How often it is timed; 0 for not at all.
    pub(crate) repetitions: usize,
    pub(crate) seed: u64,
}

/// Runs it.
pub(crate) fn run(options: &Options<'_>) -> Result<bool> {
    let manifest = options.code.with_extension("json");
    let manifest = read_text(options.manifest.unwrap_or(&manifest))?;
    let code = fs::read(options.code)
        .map_err(|source| Error::Read { path: options.code.into(), source })?;
    let gpu = Gpu::open()?;
    let executable = Executable::load(0, &code, &manifest)?;
    let program = choose(&executable, options.name)?;
    let about = program.program();
    let sizes = sizes(&about.size_names(), options.sizes)?;
    let shapes = |tensors: &[program::Tensor]| -> Result<Vec<Vec<i64>>> {
        tensors.iter().map(|tensor| about.shape(tensor, &sizes)).collect()
    };
    let argument_shapes = shapes(&about.arguments)?;
    let files = options.arguments.map(files).transpose()?;
    let mut random = Random::new(options.seed);
    let mut buffers = Vec::new();
    for (i, (tensor, shape)) in about.arguments.iter().zip(&argument_shapes).enumerate() {
        let bytes = tensor.bytes(shape)?;
        let data = match &files {
            Some(files) => read(files, i, bytes)?,
            None => noise(&tensor.element, bytes, &mut random),
        };
        buffers.push(gpu.upload(&data)?);
    }
    let lists: Vec<&[i64]> = argument_shapes.iter().map(Vec::as_slice).collect();
    let result_shapes = about.result_shapes(&lists)?;
    let mut outputs = Vec::new();
    for (tensor, shape) in about.results.iter().zip(&result_shapes) {
        let buffer = gpu.allocate(tensor.bytes(shape)?)?;
        buffer.fill(0xFF)?;
        outputs.push(buffer);
    }
    let arguments = tensors(&buffers, &argument_shapes);
    let results = tensors(&outputs, &result_shapes);
    // SAFETY: the tensors are the buffers above, of these shapes, and live until the end.
    unsafe { program.run(Stream::DEFAULT, &arguments, &results)? };
    gpu.wait()?;
    println!(
        "{}: {} steps, {} bytes of workspace",
        about.name,
        about.steps.len(),
        program.workspace_bytes(&lists)?
    );
    if let Some(folder) = options.results {
        fs::create_dir_all(folder)
            .map_err(|source| Error::Write { path: folder.into(), source })?;
        for (i, buffer) in outputs.iter().enumerate() {
            let path = folder.join(format!("result{i}.bin"));
            fs::write(&path, buffer.bytes_back()?)
                .map_err(|source| Error::Write { path, source })?;
        }
    }
    if options.repetitions > 0 {
        time(&gpu, &program, &arguments, &results, options.repetitions)?;
    }
    Ok(true)
}

/// Buffers as tensors of these shapes.
fn tensors<'s>(buffers: &[Buffer<'_>], shapes: &'s [Vec<i64>]) -> Vec<Tensor<'s>> {
    let tensor = |(buffer, shape): (&Buffer<'_>, &'s Vec<i64>)| Tensor {
        address: buffer.address(),
        shape: shape.as_slice(),
    };
    buffers.iter().zip(shapes).map(tensor).collect()
}

/// Prints medians of the time of a run, and of a graph where there can be one.
fn time(
    gpu: &Gpu,
    program: &Runnable,
    arguments: &[Tensor<'_>],
    results: &[Tensor<'_>],
    repetitions: usize,
) -> Result<()> {
    // SAFETY: the caller's tensors, which live until it returns.
    let by_launches = || unsafe { program.run(Stream::DEFAULT, arguments, results) };
    let graph = match program.program().reads_elements() {
        true => None,
        // SAFETY: as above.
        false => Some(unsafe { program.capture(arguments, results)? }),
    };
    // SAFETY: as above.
    let by_graph =
        || graph.as_ref().map_or(Ok(()), |graph| unsafe { graph.launch(Stream::DEFAULT) });
    let contenders: [(&str, &dyn Fn() -> Result<()>); 2] =
        [("launches", &by_launches), ("graph", &by_graph)];
    for (name, work) in contenders.into_iter().take(1 + usize::from(graph.is_some())) {
        let mut times = Vec::with_capacity(repetitions);
        for _ in 0..repetitions + 3 {
            let (start, end) = (gpu.event()?, gpu.event()?);
            start.record()?;
            work()?;
            end.record()?;
            gpu.wait()?;
            times.push(end.since(&start)? * 1e3);
        }
        // The first ones fill caches.
        let mut times = times.split_off(3);
        times.sort_by(f64::total_cmp);
        println!("{name}: {:.1} us, the median of {repetitions}", times[times.len() / 2]);
    }
    Ok(())
}

fn choose(executable: &Executable, name: Option<&str>) -> Result<std::sync::Arc<Runnable>> {
    match (name, executable.programs()) {
        (Some(name), _) => executable.program(name),
        (None, [only]) => Ok(std::sync::Arc::clone(only)),
        (None, all) => {
            let names: Vec<&str> = all.iter().map(|one| one.program().name.as_str()).collect();
            Err(Error::Launch(format!(
                "expected --name for one of the programs, found {} ({})",
                names.len(),
                names.join(", ")
            )))
        }
    }
}

/// The value of each size.
fn sizes(names: &[&str], choices: &[Choice]) -> Result<Vec<i64>> {
    let value = |name: &&str| {
        let choice = choices.iter().find(|choice| choice.name == *name);
        choice.and_then(|choice| choice.values.first().copied()).ok_or_else(|| {
            Error::Launch(format!("expected --size {name}=VALUE for each of {}", names.join(", ")))
        })
    };
    names.iter().map(value).collect()
}

/// The files of a folder, by their names.
fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let wrong = |source| Error::Read { path: folder.into(), source };
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).map_err(wrong)? {
        all.push(entry.map_err(wrong)?.path());
    }
    all.sort();
    Ok(all)
}

/// The bytes of an argument's file.
fn read(files: &[PathBuf], number: usize, bytes: usize) -> Result<Vec<u8>> {
    let path = files.get(number).ok_or_else(|| {
        Error::Launch(format!("expected a file for argument {number}, found {} files", files.len()))
    })?;
    let data = fs::read(path).map_err(|source| Error::Read { path: path.clone(), source })?;
    match data.len() == bytes {
        true => Ok(data),
        false => Err(Error::Launch(format!(
            "expected {bytes} bytes for argument {number} in {}, found {}",
            path.display(),
            data.len()
        ))),
    }
}

/// Elements of a type: floats from a normal distribution, all else zero.
fn noise(element: &str, bytes: usize, random: &mut Random) -> Vec<u8> {
    match element {
        "bf16" => {
            let value = |_| (random.normal() as f32).to_bits() >> 16;
            (0..bytes / 2).map(value).flat_map(|bits| (bits as u16).to_le_bytes()).collect()
        }
        "f32" => {
            let value = |_| (random.normal() as f32).to_le_bytes();
            (0..bytes / 4).flat_map(value).collect()
        }
        _ => vec![0; bytes],
    }
}
